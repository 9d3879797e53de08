import { afterEach, describe, expect, test } from "bun:test";
import { isFault, type Log, type LogFields, openAiFailure, type Protocol, type SendOptions } from "#core";
import { createTestClock, type ScriptedUpstream, startUpstream } from "#core/testing";
import { createHttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
import type { UpstreamSetting } from "./settings.ts";

const servers: ScriptedUpstream[] = [];
afterEach(async () => {
	for (const server of servers.splice(0)) await server.stop();
});

const serve = (...words: Parameters<typeof startUpstream>): ScriptedUpstream => {
	const server = startUpstream(...words);
	servers.push(server);
	return server;
};

/** What was logged, with its fields. */
const logged: (readonly [message: string, fields: LogFields | undefined])[] = [];
const note = (message: string, fields?: LogFields): void => void logged.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, of: () => log };
afterEach(() => {
	logged.length = 0;
});

/** All that is used of a protocol here. */
const protocol = {
	name: "messages",
	upstream: {
		headers: (key: string | undefined) => (key === undefined ? {} : { "x-key": key }),
		decodeError: openAiFailure,
	},
} as unknown as Protocol;

const upstreamOf = (setting: Partial<UpstreamSetting>, more: Partial<HttpUpstreamOptions> = {}) =>
	createHttpUpstream({
		setting: { name: "main", protocol: "messages", url: "http://127.0.0.1:1", ...setting },
		clock: createTestClock(),
		random: () => 0,
		log,
		protocolNamed: (name) => (name === protocol.name ? protocol : undefined),
		...more,
	});

const message = { path: "/v1/messages", headers: { "content-type": "application/json" }, body: "{}" };
const options = (more: Partial<SendOptions> = {}): SendOptions => ({
	protocol: "messages",
	wire: protocol.upstream,
	abort: new AbortController(),
	stream: false,
	callId: "req_1",
	...more,
});

const denialOf = async (work: Promise<unknown>) => {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	return isFault(error) ? error.denial : error;
};

describe("an upstream over HTTP", () => {
	test("is asked at its address with the protocol's own path, its key and its headers", async () => {
		const server = serve(() => new Response("ok"));
		const upstream = upstreamOf({ url: `${server.url}/base/`, key: "secret", headers: { "x-team": "blue" } });
		expect(await (await upstream.send(message, options())).text()).toBe("ok");
		const [asked] = server.received;
		expect(asked?.method).toBe("POST");
		expect(asked?.path).toBe("/base/v1/messages");
		expect(asked?.text).toBe("{}");
		expect(asked?.headers.get("x-key")).toBe("secret");
		expect(asked?.headers.get("x-team")).toBe("blue");
		expect(asked?.headers.get("accept-encoding")).toBe("identity");
	});

	test("speaks one protocol or several", () => {
		expect(upstreamOf({}).protocols).toEqual(["messages"]);
		expect(upstreamOf({ protocol: ["responses", "messages"] }).protocols).toEqual(["responses", "messages"]);
	});

	test.each([301, 302, 303, 307, 308])("%d is not followed, so that the key goes nowhere else", async (status) => {
		const elsewhere = serve(() => new Response("caught"));
		const server = serve(() => new Response(null, { status, headers: { location: `${elsewhere.url}/catch` } }));
		const response = await upstreamOf({ url: server.url, key: "secret" }).send(message, options());
		expect(response.status).toBe(status);
		expect(elsewhere.received).toHaveLength(0);
	});

	test("that cannot be reached is a fault that does not tell its address", async () => {
		const denial = await denialOf(upstreamOf({ url: "http://127.0.0.1:1" }).send(message, options()));
		expect(denial).toMatchObject({ kind: "upstream" });
		expect((denial as { message: string }).message).not.toContain("127.0.0.1");
		expect(logged).toEqual([
			[
				"an upstream could not be reached, or broke off before it answered",
				{ upstream: "main", callId: "req_1", reason: expect.stringMatching(/^(?:ECONNREFUSED|ConnectionRefused)$/) },
			],
		]);
	});

	test("that does not begin to answer in time is given up, and its request ended", async () => {
		const clock = createTestClock();
		let signal: AbortSignal | undefined;
		const send: HttpUpstreamOptions["send"] = (_, init) =>
			new Promise((_resolve, reject) => {
				signal = init.signal ?? undefined;
				signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
			});
		const sent = denialOf(upstreamOf({ firstByteSeconds: 3 }, { clock, send }).send(message, options()));
		await clock.advance(2999);
		expect(signal?.aborted).toBe(false);
		await clock.advance(1);
		expect(signal?.aborted).toBe(true);
		expect(await sent).toMatchObject({ kind: "upstream_timeout", message: expect.stringContaining("3 seconds") });
	});

	test("that has begun to answer is not cut by that limit", async () => {
		const clock = createTestClock();
		let signal: AbortSignal | undefined;
		const send: HttpUpstreamOptions["send"] = async (_, init) => {
			signal = init.signal ?? undefined;
			return new Response("slow");
		};
		await upstreamOf({ firstByteSeconds: 3 }, { clock, send }).send(message, options());
		await clock.advance(60_000);
		expect(signal?.aborted).toBe(false);
	});

	test("is let go when the call ends, which is not its failure to answer in time", async () => {
		const server = serve(() => new Promise<Response>(() => undefined));
		const abort = new AbortController();
		const sent = denialOf(upstreamOf({ url: server.url }).send(message, options({ abort })));
		while (server.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
		abort.abort();
		expect(await sent).toMatchObject({ kind: "upstream" });
		while (!server.received[0]?.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
		expect(logged).toEqual([]);
	});

	test.each([401, 402, 403])("operators are told by %d which key is refused, and not the key", async (status) => {
		const server = serve(
			({ headers }) => new Response(null, { status: headers.get("x-key") === "key-b" ? status : 200 }),
		);
		const upstream = upstreamOf({ url: server.url, keys: ["key-a", "key-b"] });
		for (let call = 0; call < 4; call++) await upstream.send(message, options());
		expect(logged).toEqual([
			[
				"an upstream refused Portico's own key, or its account is empty",
				{ upstream: "main", key: 2, status, callId: "req_1" },
			],
		]);
	});

	/** Answers each key with a status of its own, and notes which keys came. */
	const byKey = (statuses: Readonly<Record<string, number>>, body?: unknown) => {
		const used: string[] = [];
		const server = serve(({ headers }) => {
			const key = headers.get("x-key") ?? "";
			used.push(key);
			const status = statuses[key] ?? 200;
			return status === 200 ? new Response("ok") : Response.json(body ?? { error: { message: key } }, { status });
		});
		return { used, upstream: upstreamOf({ url: server.url, keys: ["a", "b", "c"] }) };
	};

	test.each([401, 402, 403, 429])(
		"a key that is answered by %d rests, and the same call goes on with another",
		async (status) => {
			const { used, upstream } = byKey({ a: status });
			for (let call = 0; call < 4; call++) expect((await upstream.send(message, options())).status).toBe(200);
			expect(used.filter((key) => key === "a")).toHaveLength(1);
			expect(used).toHaveLength(5);
		},
	);

	test("every key is tried once; a limit is told rather than a refusal", async () => {
		for (const statuses of [
			{ a: 401, b: 429, c: 403 },
			{ a: 429, b: 401, c: 401 },
			{ a: 401, b: 401, c: 429 },
		]) {
			const { used, upstream } = byKey(statuses);
			expect((await upstream.send(message, options())).status).toBe(429);
			expect(used.toSorted()).toEqual(["a", "b", "c"]);
		}
		const { used, upstream } = byKey({ a: 401, b: 402, c: 403 });
		expect((await upstream.send(message, options())).status).toBe(403);
		expect(used).toEqual(["a", "b", "c"]);
	});

	test("a key whose limit is over at once is not tried again by the same call", async () => {
		let asked = 0;
		const server = serve(() => {
			asked++;
			return new Response(null, { status: 429, headers: { "retry-after": "0" } });
		});
		await upstreamOf({ url: server.url, keys: ["a", "b"] }).send(message, options());
		expect(asked).toBe(2);
	});

	test("a call that is over asks with no other key", async () => {
		const abort = new AbortController();
		const gone = serve(() => {
			abort.abort();
			return new Response(null, { status: 429 });
		});
		await upstreamOf({ url: gone.url, keys: ["a", "b"] })
			.send(message, options({ abort }))
			.catch(() => undefined);
		expect(gone.received).toHaveLength(1);
	});

	test.each([
		[429, { error: { code: "insufficient_quota", message: "Check your plan and billing details." } }],
		[400, { error: { message: "Your credit balance is too low." } }],
	])("%d for an empty account: another key is tried, and the operator is told", async (status, body) => {
		const { upstream } = byKey({ a: status }, body);
		expect((await upstream.send(message, options())).status).toBe(200);
		expect(logged).toEqual([
			[
				"an upstream refused Portico's own key, or its account is empty",
				{ upstream: "main", key: 1, status, callId: "req_1" },
			],
		]);
	});

	test.each([400, 404, 500, 503])("%d says nothing of the key", async (status) => {
		const server = serve(() => new Response(null, { status }));
		const upstream = upstreamOf({ url: server.url, keys: ["a", "b"] });
		for (let call = 0; call < 4; call++) await upstream.send(message, options());
		expect(server.received.map(({ headers }) => headers.get("x-key"))).toEqual(["a", "b", "a", "b"]);
	});

	test("the same affinity keeps the same key", async () => {
		const server = serve(() => new Response("ok"));
		const upstream = upstreamOf({ url: server.url, keys: ["a", "b", "c"] });
		for (let call = 0; call < 5; call++) await upstream.send(message, options({ affinity: "user-1" }));
		expect(new Set(server.received.map(({ headers }) => headers.get("x-key"))).size).toBe(1);
	});
});

describe("a wire that signs", () => {
	const sign: SendOptions["wire"]["sign"] = ({ method, url, headers, body }, key) => ({
		"x-signature": [method, new URL(url).pathname, headers["x-fixed"], String(body).length, key].join(" "),
	});

	test("is given all that is sent, for each key anew", async () => {
		const server = serve(({ headers }) => new Response("{}", { status: headers.get("x-key") === "k1" ? 401 : 200 }));
		const upstream = upstreamOf({ url: `${server.url}/base`, keys: ["k1", "k2"], headers: { "x-fixed": "f" } });
		await upstream.send(message, options({ wire: { ...protocol.upstream, sign } }));
		expect(server.received.map(({ headers }) => headers.get("x-signature"))).toEqual([
			"POST /base/v1/messages f 2 k1",
			"POST /base/v1/messages f 2 k2",
		]);
	});

	test("what an upstream is made with signs in its place", async () => {
		const server = serve(() => new Response("{}"));
		const upstream = upstreamOf(
			{ url: server.url, key: "k1" },
			{ sign: (_, key) => ({ "x-signature": `own ${key}` }) },
		);
		await upstream.send(message, options());
		await upstream.send(message, options({ wire: { ...protocol.upstream, sign } }));
		expect(server.received.map(({ headers }) => headers.get("x-signature"))).toEqual(["own k1", "own k1"]);
	});

	test("signs the question for its models too", async () => {
		const server = serve(() => Response.json({}));
		const models = { path: "/models", decode: () => [] };
		const signing = { ...protocol, upstream: { ...protocol.upstream, models, sign } };
		await upstreamOf({ url: server.url, key: "k1" }, { protocolNamed: () => signing }).models?.(
			new AbortController().signal,
		);
		expect(server.received[0]?.headers.get("x-signature")).toBe("GET /models  0 k1");
	});
});
