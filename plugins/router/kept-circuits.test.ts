/** What a reload leaves of circuits: those of upstreams of which the config says what it said before. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway, startUpstream } from "#core/testing";
import { routerTo } from "../../test/support/router-to.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** A gateway whose first upstream is down and was asked five times, so that its circuit is open. */
const opened = async () => {
	let asked = 0;
	const down = startUpstream(() => {
		asked++;
		return new Response("", { status: 503 });
	});
	const up = startUpstream(() => Response.json(completion));
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", routerTo([down.url, up.url])] });
	ends.push(
		() => down.stop(),
		() => up.stop(),
		() => gateway.stop(),
	);
	const call = async (times: number): Promise<void> => {
		for (let made = 0; made < times; made++) expect((await gateway.ask("/v1/chat/completions", body)).status).toBe(200);
	};
	const change = async (from: string, to: string): Promise<readonly string[]> => {
		const file = join(gateway.folder, "portico.yaml");
		const text = readFileSync(file, "utf8");
		expect(text).toContain(from);
		writeFileSync(file, text.replace(from, to));
		return gateway.portico.reload();
	};
	await call(8);
	expect(asked).toBe(5);
	return { gateway, call, change, downUrl: down.url, asked: () => asked };
};

test("an upstream that is down is left alone after a reload, and operators are told of it before any call", async () => {
	const { gateway, call, asked } = await opened();
	expect(await gateway.portico.reload()).toEqual([]);
	expect(await gateway.admin("GET", "/admin/upstreams")).toMatchObject({
		data: [{ circuit: "open", failures: 5 }, { circuit: "closed" }],
	});
	await call(8);
	expect(asked()).toBe(5);
});

test("a reload that is refused changes nothing of it", async () => {
	const { gateway, call, change, asked } = await opened();
	expect(await change('"use":"tokens"', '"use":"tokenz"')).not.toEqual([]);
	expect(await change('"use":"tokenz"', '"use":"tokens"')).toEqual([]);
	expect(await gateway.portico.reload()).toEqual([]);
	await call(8);
	expect(asked()).toBe(5);
});

test("one of which something was changed is tried anew", async () => {
	const { call, change, asked, downUrl } = await opened();
	expect(await change(downUrl, `${downUrl}/mended`)).toEqual([]);
	await call(1);
	expect(asked()).toBe(6);
});
