/** Promise: what one token asks for, and an upstream fails at, sends nobody else's calls elsewhere; an upstream that is down does. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createTestClock, type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { until } from "../support/moved-clock.ts";
import { routerTo } from "../support/router-to.ts";
import { attackWorld } from "./world.ts";

const clock = createTestClock();
let upstreams: readonly ScriptedUpstream[];
let gateway: TestGateway;
let isDown = false;
let hangs = false;

beforeAll(async () => {
	upstreams = [
		startUpstream(({ text }) => {
			if (hangs || text.includes("think long")) return new Promise<Response>(() => undefined);
			const fails = isDown || text.includes("poison");
			return fails ? new Response("it failed", { status: 500 }) : Response.json(chatAnswer());
		}),
		startUpstream(() => Response.json(chatAnswer())),
	];
	gateway = await startGateway({
		clock,
		plugins: ["tokens", "chat-completions", routerTo(upstreams.map(({ url }) => url))],
	});
});
afterAll(async () => {
	await gateway.stop();
	for (const one of upstreams) await one.stop();
});
beforeEach(async () => {
	isDown = false;
	hangs = false;
	await clock.advance(600_000);
});

/** Which upstreams a call of this key has reached. */
const askedBy = async (key: string, content: string): Promise<readonly number[]> => {
	const before = upstreams.map(({ received }) => received.length);
	const body = { model: "m", messages: [{ role: "user", content }] };
	const answer = await gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
	expect(answer.status).toBe(200);
	await answer.text();
	return upstreams.flatMap(({ received }, index) => (received.length > (before[index] ?? 0) ? [index] : []));
};

test("what fails for one token is kept away from it alone, however often it comes again", async () => {
	const [one, other] = [await gateway.token(), await gateway.token()];
	for (let round = 0; round < 4; round++) {
		for (let time = 0; time < 6; time++) await askedBy(one.key, "poison");
		expect(await askedBy(one.key, "poison")).toEqual([1]);
		expect(await askedBy(other.key, "hello")).toEqual([0]);
		await clock.advance(61_000);
	}
});

/** Opens so many calls together, and leaves them all when nothing has come for so long. */
const leaveAfter = async (
	milliseconds: number,
	key: string,
	content: string,
	{ calls = 6, meanwhile = async (): Promise<unknown> => undefined } = {},
): Promise<void> => {
	const [asked] = upstreams;
	const before = asked?.received.length ?? 0;
	const client = new AbortController();
	const body = { model: "m", messages: [{ role: "user", content }] };
	const options = { headers: { authorization: `Bearer ${key}` }, signal: client.signal };
	const open = Array.from({ length: calls }, () => gateway.ask("/v1/chat/completions", body, options).catch(() => 0));
	await until(() => asked?.received.length === before + calls, "the calls");
	await clock.advance(milliseconds / 2);
	await meanwhile();
	await clock.advance(milliseconds / 2);
	client.abort();
	await Promise.all(open);
	await until(() => gateway.portico.openCalls() === 0, "their end");
};

test("whoever opens calls and leaves them keeps nobody else away, and two do not where a third is answered", async () => {
	const [one, other, third] = [await gateway.token(), await gateway.token(), await gateway.token()];
	await leaveAfter(29_000, one.key, "think long");
	expect(await askedBy(one.key, "hello")).toEqual([0]);
	const meanwhile = async () => expect(await askedBy(third.key, "hello")).toEqual([0]);
	await leaveAfter(60_000, one.key, "think long", { meanwhile });
	await leaveAfter(60_000, other.key, "think long", { meanwhile });
	for (const { key } of [one, other, third]) expect(await askedBy(key, "hello")).toEqual([0]);
	await leaveAfter(31_000, one.key, "think long");
	expect(await askedBy(one.key, "hello")).toEqual([1]);
	expect(await askedBy(other.key, "hello")).toEqual([0]);
});

test("what fails for two is kept away from everybody, and let through when it has recovered", async () => {
	const [one, other, third] = [await gateway.token(), await gateway.token(), await gateway.token()];
	isDown = true;
	for (let time = 0; time < 5; time++) expect(await askedBy(one.key, "hello")).toEqual([0, 1]);
	expect(await askedBy(other.key, "hello")).toEqual([0, 1]);
	expect(await askedBy(third.key, "hello")).toEqual([1]);
	isDown = false;
	await clock.advance(61_000);
	expect(await askedBy(third.key, "hello")).toEqual([0]);
	expect(await askedBy(one.key, "hello")).toEqual([0]);
});

test("what hangs until the clients of two have left is kept away from everybody", async () => {
	const [one, other, third] = [await gateway.token(), await gateway.token(), await gateway.token()];
	hangs = true;
	await leaveAfter(60_000, one.key, "hello", { calls: 4 });
	await leaveAfter(60_000, other.key, "hello", { calls: 1 });
	expect(await askedBy(third.key, "hello")).toEqual([1]);
	hangs = false;
	await clock.advance(61_000);
	expect(await askedBy(third.key, "hello")).toEqual([0]);
	expect(await askedBy(one.key, "hello")).toEqual([0]);
});

test("a call of which the upstream is asked nothing, refused or answered here, says nothing of it", async () => {
	const [dead] = upstreams;
	const router = routerTo([dead?.url ?? ""]);
	const models = router.with.models.map((model) => ({ ...model, translation: "strict" }));
	const strict = await startGateway({
		clock,
		plugins: ["tokens", "chat-completions", "messages", { ...router, with: { ...router.with, models } }],
	});
	isDown = true;
	const ask = async (more: object, path = ""): Promise<number> => {
		const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hello" }], ...more };
		return (await strict.ask(`/v1/messages${path}`, body)).status;
	};
	const askNothing = async (): Promise<void> => {
		expect(await ask({ top_k: 5 })).toBe(400);
		expect(await ask({}, "/count_tokens")).toBe(200);
	};
	const state = async () => (await strict.admin("GET", "/admin/upstreams"))["data"];
	for (let time = 0; time < 4; time++) expect(await ask({})).toBe(502);
	await askNothing();
	expect(await state()).toMatchObject([{ circuit: "closed", failures: 4 }]);
	expect(await ask({})).toBe(502);
	await clock.advance(6_000);
	await askNothing();
	expect(await state()).toMatchObject([{ circuit: "half-open", failures: 5 }]);
	await strict.stop();
});

test("a time that Google has no patience for is not told to it: to all others it would seem to fail", async () => {
	const world = await attackWorld({
		router: (url) => ({
			upstreams: ["first", "next"].map((name) => ({
				name,
				protocol: "generate-content",
				url: `${url}/${name}`,
				key: "k",
			})),
			models: [{ name: "m", targets: [{ upstream: "first" }, { upstream: "next" }] }],
		}),
	});
	world.upstream.answer(({ headers, path }) =>
		headers.has("x-server-timeout") && path.startsWith("/first")
			? Response.json({ error: { code: 500, message: "An internal error.", status: "INTERNAL" } }, { status: 500 })
			: Response.json({ candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" }] }),
	);
	const ask = async (headers: Record<string, string>): Promise<void> => {
		const { key } = await world.gateway.token();
		const body = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
		const path = "/v1beta/models/m:generateContent";
		await (await world.gateway.ask(path, body, { headers: { authorization: `Bearer ${key}`, ...headers } })).text();
	};
	for (let times = 0; times < 6; times++) await ask({ "x-server-timeout": "1" });
	await ask({});
	expect(world.upstream.received.at(-1)?.path).toStartWith("/first");
	await world.stop();
});
