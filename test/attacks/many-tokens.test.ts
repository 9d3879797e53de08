/** Promise: a person may make as many tokens as they like, and has with all of them together no more room than with one. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { joined } from "../support/people-world.ts";
import { postHead, type RawClient, rawClient, until } from "./raw-client.ts";

const megabyte = 1024 * 1024;
const memoryBytes = 8 * megabyte;
const clock = createTestClock();

let upstream: ScriptedUpstream;
let gateway: TestGateway;
const clients: RawClient[] = [];

beforeAll(async () => {
	upstream = startUpstream(({ text }) =>
		text.includes("hang") ? new Promise<Response>(() => undefined) : Response.json(chatAnswer()),
	);
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"people",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [{ name: "mock", url: `${upstream.url}/v1`, protocol: "chat-completions", key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "mock" }] }],
				},
			},
		],
		config: { server: { memoryBytes, maxCalls: 12, maxCallsPerToken: 4 } },
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});
afterEach(async () => {
	for (const client of clients.splice(0)) client.end();
	await until(() => gateway.portico.budget.held === 0 && gateway.portico.openCalls() === 0);
});

const chat = "/v1/chat/completions";

/** The keys of a member with so many tokens, the id of the member and of the first of them. */
const memberWith = async (name: string, count: number) => {
	const browser = await joined(gateway, name);
	const asked = Array.from({ length: count }, () => browser.ask("POST", "/admin/tokens", { name: "one of many" }));
	const made = (await Promise.all(asked)).map(({ body }) => body);
	return { person: browser.id, first: String(made[0]?.["id"]), keys: made.map((body) => String(body["key"])) };
};

/** Sends what is given of a body that is said to be so long. */
const send = async (key: string, bytes: number, text: string): Promise<RawClient> => {
	const client = await rawClient(gateway.url);
	clients.push(client);
	await client.send(postHead(chat, key, bytes));
	client.socket.write(text);
	return client;
};

const asked = (content: string): string => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });

const ask = (key: string): Promise<Response> =>
	gateway.ask(chat, asked("Hello"), { headers: { authorization: `Bearer ${key}` } });

test("calls that run: those of one token", async () => {
	const [others, { keys }] = [await gateway.token(), await memberWith("mallory", 6)];
	const body = asked("hang");
	const held = await Promise.all([...keys, ...keys].map((key) => send(key, body.length, body)));
	await until(() => gateway.portico.openCalls() >= 4);
	expect((await ask(others.key)).status).toBe(200);
	await until(() => held.filter((client) => client.received() !== "").length === held.length - 4);
	const refused = held.filter((client) => client.received() !== "");
	for (const client of refused) expect(client.received()).toContain("too_many_calls");
	expect(refused[0]?.received()).toContain("or its owner");
});

test("bytes that are held: those of one token", async () => {
	const [others, { keys }] = [await gateway.token(), await memberWith("trent", 5)];
	for (const key of keys) await send(key, 3 * megabyte, "x".repeat(2 * megabyte));
	await until(() => gateway.portico.budget.held > 3.9 * megabyte);
	expect(gateway.portico.budget.held).toBeLessThanOrEqual(memoryBytes / 2);
	await send(others.key, 3 * megabyte, "x".repeat(2 * megabyte));
	await until(() => gateway.portico.budget.held > 5.9 * megabyte);
});

test("a call whose token goes to somebody else meanwhile gives the place back that it had", async () => {
	const [before, after] = [await memberWith("alice", 1), await memberWith("bob", 1)];
	const [own = ""] = before.keys;
	const body = asked("hello");
	const slow = await send(own, body.length, body.slice(0, -1));
	await until(() => gateway.portico.budget.held > 0);
	await gateway.admin("PATCH", `/admin/tokens/${before.first}`, { owner: after.person });
	await clock.advance(3_000);
	await slow.send(body.slice(-1));
	expect(await slow.status()).toBe(200);
	await until(() => gateway.portico.openCalls() === 0);
	await gateway.admin("PATCH", `/admin/tokens/${before.first}`, { owner: before.person });
	const hangs = asked("hang");
	await Promise.all(Array.from({ length: 4 }, () => send(own, hangs.length, hangs)));
	await until(() => gateway.portico.openCalls() === 4);
});
