/** What an upstream says it used may be no amount at all: then it has said nothing, and what was held is charged. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

let folder: string;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

const start = () =>
	startGateway({
		folder,
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "prices", with: { models: { m: { input: 1, output: 10, perThousandSearches: 2 } } } },
			"quota",
			"ledger",
			{ use: join(import.meta.dir, "fixtures/odd-counter") },
			{
				use: "router",
				with: {
					upstreams: [
						{
							name: "main",
							protocol: "chat-completions",
							url: upstream.url,
							key: "up-key",
							endpoints: ["odd-counter"],
						},
					],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
		],
	});

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-odd-usage-"));
	upstream = startUpstream();
	gateway = await start();
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	rmSync(folder, { recursive: true, force: true });
});

const headersOf = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

/** What a token has used after one call whose answer says this. */
const usedAfter = async (said: object, settings: Readonly<Record<string, unknown>>): Promise<unknown> => {
	upstream.answer(() => Response.json({ input: 5, output: 1, searches: 1, ...said }));
	const { key } = await gateway.token(settings);
	expect((await gateway.ask("/v1/odd", { model: "m" }, headersOf(key))).status).toBe(200);
	return asRecord(await (await gateway.ask("/v1/me", undefined, headersOf(key))).json())["used"];
};

// Held: 100 tokens of input at $1, 10 of output at $10 a million, three searches at $2 a thousand.
const held = 0.0062;

test.each([
	[{}, 0.002015],
	[{ searches: 0.5 }, 0.001015],
	[{ searches: { total: 1 } }, held],
	[{ searches: -1000 }, held],
	[{ searches: "1e999" }, held],
	[{ input: "many" }, held],
	[{ input: -5 }, held],
	[{ output: "1e999" }, held],
	[{ output: -1 }, held],
])("an answer that says %j is charged, with a quota and without one", async (said, used) => {
	expect(await usedAfter(said, { quota: 1 })).toBe(used);
	expect(await usedAfter(said, {})).toBe(used);
});

test("a count of tokens that is not whole is kept as a whole one", async () => {
	expect(await usedAfter({ input: 4.5, output: 1.25 }, { quota: 1 })).toBe(0.002017);
});

test("every charge is in the ledger, and the next process starts", async () => {
	await usedAfter({ searches: {} }, { quota: 1 });
	const { data } = await gateway.admin("GET", "/admin/usage?by=model");
	expect(data).toMatchObject([{ calls: 20 }]);
	expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
	await gateway.stop();
	gateway = await start();
	expect(await usedAfter({}, { quota: 1 })).toBe(0.002015);
});
