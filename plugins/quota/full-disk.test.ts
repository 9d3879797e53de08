/** A disk that is full under the journal: who would have to be written down in it is told to come again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../../test/support/chat-answers.ts";
import { disk } from "../../test/support/full-disk-quota.ts";

const quota = { use: new URL("../../test/support/full-disk-quota.ts", import.meta.url).pathname };
let gateway: TestGateway;
let upstream: ScriptedUpstream;
beforeAll(async () => {
	upstream = startUpstream(() => Response.json(chatAnswer()));
	const upstreams = [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }];
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			quota,
			"ledger",
			{ use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "up", model: "up" }] }] } },
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const ask = (key: string) =>
	gateway.ask(
		"/v1/chat/completions",
		{ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
		{ headers: { authorization: `Bearer ${key}` } },
	);

test.each([
	["a quota, at any call", { quota: 1 }, 503],
	["no quota, at the first", {}, 200],
])("a token with %s gets 503 and when to come again", async (_, settings, known) => {
	const [used, unused] = [await gateway.token(settings), await gateway.token(settings)];
	expect((await ask(used.key)).status).toBe(200);
	disk.full = true;
	expect((await ask(used.key)).status).toBe(known);
	const refused = await ask(unused.key);
	expect(refused.status).toBe(503);
	expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
	expect(await refused.json()).toMatchObject({
		error: { code: "server_is_overloaded", message: expect.stringContaining("cannot write down here") },
	});
	disk.full = false;
	for (const { key } of [used, unused]) expect((await ask(key)).status).toBe(200);
});

test("a full disk is told in few lines, however many calls it refuses", async () => {
	const { key } = await gateway.token({ quota: 1 });
	const from = gateway.log.length;
	disk.full = true;
	for (let call = 0; call < 100; call++) expect((await ask(key)).status).toBe(503);
	disk.full = false;
	const told = gateway.log.slice(from).filter(({ level }) => level === "error" || level === "warn");
	expect(told.length).toBeGreaterThan(0);
	expect(told.length).toBeLessThan(70);
});

test("a start says where room is to be made", async () => {
	disk.full = true;
	const started = startGateway({ plugins: ["tokens", "prices", quota, "ledger"] });
	await started.catch(() => undefined);
	disk.full = false;
	expect(started).rejects.toThrow(
		/^the journal of charges cannot be begun, for the data folder takes nothing; make room on its disk, .*ENOSPC[^/]*$/,
	);
});
