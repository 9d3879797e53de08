/** That an upstream answers again is told where a reload came between, or a start: whoever was woken is to hear of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";
import { routerTo } from "../support/router-to.ts";

const secret = `whsec_${btoa("x".repeat(32))}`;
let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(() => Response.json(chatAnswer()));
	const alerts = { use: "alerts", with: { url: "http://127.0.0.1:9/", secret, privateNetwork: true } };
	gateway = await startGateway({
		plugins: ["tokens", "chat-completions", "webhooks", alerts, routerTo([upstream.url])],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const ask = async (): Promise<number> =>
	(await gateway.ask("/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hello" }] })).status;
const told = async (): Promise<readonly unknown[]> =>
	asList((await gateway.admin("GET", "/admin/alerts"))["data"])
		.map((one) => asRecord(one)["event"])
		.toReversed();

test("once, and nothing of one that had not failed", async () => {
	expect(await ask()).toBe(200);
	upstream.answer(() => Response.json({ error: { message: "down" } }, { status: 500 }));
	for (let call = 0; call < 5; call++) expect(await ask()).toBe(502);
	await until(async () => (await told()).length === 1);
	await gateway.admin("POST", "/admin/reload");
	upstream.answer(() => Response.json(chatAnswer()));
	for (let call = 0; call < 3; call++) expect(await ask()).toBe(200);
	await until(async () => (await told()).length === 2);
	await gateway.admin("POST", "/admin/reload");
	expect(await ask()).toBe(200);
	expect(await told()).toEqual(["circuit.opened", "circuit.closed"]);
});
