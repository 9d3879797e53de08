/** Throws changed bytes at Portico from three sides: raw HTTP, JSON bodies of each protocol, and what an upstream streams. */
import { connect } from "node:net";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { delta, done, finish, usageEvent } from "../faults/world.ts";

/** Numbers from 0 to 1 that a seed decides, so that what was found can be found again. */
const randomOf = (seed: number): (() => number) => {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
};

export interface FuzzResult {
	readonly tries: number;
	/** What must not be: an answer of 500, a hang, a crash. Empty when all is well. */
	readonly found: readonly string[];
}

export const sides = ["http", "bodies", "streams"] as const;
export type Side = (typeof sides)[number];

const protocols = ["chat-completions", "responses", "messages", "generate-content"];
const text = "Hello";
const tool = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

/** Good requests that use much of each protocol; own seeds, none recorded. */
const seeds: readonly { readonly path: string; readonly body: object }[] = [
	{
		path: "/v1/chat/completions",
		body: {
			model: "m",
			stream: false,
			messages: [
				{ role: "system", content: "Be brief." },
				{
					role: "user",
					content: [
						{ type: "text", text },
						{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
					],
				},
				{
					role: "assistant",
					content: null,
					tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"x"}' } }],
				},
				{ role: "tool", tool_call_id: "c1", content: "sunny" },
			],
			tools: [{ type: "function", function: { name: "weather", parameters: tool } }],
			response_format: { type: "json_schema", json_schema: { name: "a", schema: tool } },
			max_tokens: 10,
			temperature: 0.5,
			stop: ["x"],
		},
	},
	{
		path: "/v1/responses",
		body: {
			model: "m",
			instructions: "Be brief.",
			input: [
				{ role: "user", content: [{ type: "input_text", text }] },
				{ type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
				{ type: "function_call_output", call_id: "c1", output: "sunny" },
			],
			tools: [{ type: "function", name: "weather", parameters: tool }],
			reasoning: { effort: "low" },
			max_output_tokens: 20,
		},
	},
	{
		path: "/v1/messages",
		body: {
			model: "m",
			max_tokens: 20,
			system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
			messages: [
				{
					role: "user",
					content: [
						{ type: "text", text },
						{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
					],
				},
				{ role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: { city: "x" } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "sunny" }] },
			],
			tools: [{ name: "weather", input_schema: tool }],
			thinking: { type: "enabled", budget_tokens: 1024 },
		},
	},
	{
		path: "/v1beta/models/m:generateContent",
		body: {
			systemInstruction: { parts: [{ text: "Be brief." }] },
			contents: [
				{ role: "user", parts: [{ text }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] },
				{ role: "model", parts: [{ functionCall: { name: "weather", args: { city: "x" } } }] },
				{ role: "user", parts: [{ functionResponse: { name: "weather", response: { sky: "sunny" } } }] },
			],
			tools: [{ functionDeclarations: [{ name: "weather", parameters: tool }] }],
			generationConfig: { maxOutputTokens: 20, temperature: 0.3, stopSequences: ["x"] },
		},
	},
];

const strange: readonly unknown[] = [
	null,
	true,
	0,
	-1,
	1.5,
	2 ** 53,
	1e308,
	"",
	"x",
	"\u0000",
	"\ud800",
	"data: x\n\n",
	"__proto__",
	[],
	{},
	[[]],
	[null],
	{ type: "text" },
	{ type: "nothing" },
	"a".repeat(5000),
	{ $ref: "#" },
];

type Pick = <T>(list: readonly T[]) => T;

/** The value with one part of it replaced, removed, doubled or put elsewhere. */
const mutate = (value: unknown, random: () => number, pick: Pick): unknown => {
	if (typeof value !== "object" || value === null || random() < 0.12) return pick(strange);
	if (Array.isArray(value)) {
		const list: unknown[] = [...(value as unknown[])];
		const at = Math.floor(random() * list.length);
		if (list.length === 0 || random() < 0.1) return [...list, pick(strange)];
		if (random() < 0.1) return list.filter((_, index) => index !== at);
		if (random() < 0.1) return [...list, list[at]];
		list[at] = mutate(list[at], random, pick);
		return list;
	}
	const entries = Object.entries(value);
	const at = Math.floor(random() * entries.length);
	if (entries.length === 0 || random() < 0.05)
		return { ...value, [pick(["type", "role", "content", "x"])]: pick(strange) };
	if (random() < 0.12) return Object.fromEntries(entries.filter((_, index) => index !== at));
	return Object.fromEntries(
		entries.map(([key, member], index) => [key, index === at ? mutate(member, random, pick) : member]),
	);
};

/** Bytes with some of them changed, taken out, doubled or cut off. */
const damage = (bytes: Uint8Array, random: () => number): Uint8Array => {
	let out = Buffer.from(bytes);
	for (let times = 1 + Math.floor(random() * 4); times > 0; times--) {
		const at = Math.floor(random() * out.length);
		const length = Math.floor(random() * 20);
		const kind = random();
		if (kind < 0.4) out[at] = Math.floor(random() * 256);
		else if (kind < 0.6) out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
		else if (kind < 0.8) out = Buffer.concat([out.subarray(0, at), out.subarray(at, at + length), out.subarray(at)]);
		else out = out.subarray(0, at);
	}
	return out;
};

const within = <T>(work: Promise<T>, milliseconds: number): Promise<T | "hang"> => {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const late = new Promise<"hang">((resolve) => {
		timer = setTimeout(() => resolve("hang"), milliseconds);
	});
	return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

interface House {
	readonly gateway: TestGateway;
	readonly upstream: ScriptedUpstream;
}

const startHouse = async (): Promise<House> => {
	const upstream = startUpstream(() => streamOf([delta("Hi"), finish, done]));
	const gateway = await startGateway({
		plugins: [
			"tokens",
			...protocols,
			"prices",
			"quota",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1` }],
					models: [{ name: "m", targets: [{ upstream: "main" }] }],
				},
			},
			"ledger",
		],
		config: { server: { idleSeconds: 2, bodySeconds: 2 } },
	});
	return { gateway, upstream };
};

/** One try: gives what is wrong, or nothing. */
type Try = (house: House, random: () => number, pick: Pick) => Promise<string | undefined>;

const raw: Try = async ({ gateway }, random, pick) => {
	const { path, body } = pick(seeds);
	const json = JSON.stringify(body);
	const request = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nX-Request-Id: a\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
	const bytes = damage(Buffer.from(request), random);
	const answer = await new Promise<string>((resolve) => {
		let got = "";
		const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.end(bytes));
		socket.on("data", (data) => {
			got += data.toString("latin1");
			// One answer is enough; a damaged length may leave the connection waiting for more.
			socket.destroy();
		});
		socket.on("error", () => undefined);
		socket.on("close", () => resolve(got));
		setTimeout(() => socket.destroy(), 100);
	});
	return answer.startsWith("HTTP/1.1 500")
		? `500 for ${JSON.stringify(Buffer.from(bytes).toString("latin1"))}`
		: undefined;
};

const body: Try = async ({ gateway }, random, pick) => {
	const seed = pick(seeds);
	let changed: unknown = seed.body;
	for (let times = 1 + Math.floor(random() * 3); times > 0; times--) changed = mutate(changed, random, pick);
	const sent = JSON.stringify(changed);
	const status = await within(
		gateway.ask(seed.path, sent).then(async (response) => {
			await response.text();
			return response.status;
		}),
		8000,
	);
	return status === 500 || status === "hang" ? `${status} for ${seed.path} ${sent}` : undefined;
};

const goodStream = Buffer.from(
	delta("Hel") +
		`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: '{"ci' } }] } }] })}\n\n` +
		`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'ty":"x"}' } }] } }] })}\n\n` +
		finish +
		usageEvent(5, 2) +
		done,
);

const stream: Try = async ({ gateway, upstream }, random, pick) => {
	const bytes = damage(goodStream, random);
	const pieces: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; ) {
		const next = at + 1 + Math.floor(random() * 200);
		pieces.push(bytes.subarray(at, next));
		at = next;
	}
	upstream.answer(() => streamOf(pieces));
	const streamed: readonly (readonly [string, object])[] = [
		["/v1/chat/completions", { model: "m", stream: true, messages: [{ role: "user", content: text }] }],
		["/v1/responses", { model: "m", stream: true, input: text }],
		["/v1/messages", { model: "m", stream: true, max_tokens: 20, messages: [{ role: "user", content: text }] }],
		["/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text }] }] }],
		["/v1/messages", { model: "m", max_tokens: 20, messages: [{ role: "user", content: text }] }],
	];
	const [path, ask] = pick(streamed);
	const seen = await within(
		gateway.ask(path, ask).then(async (response) => {
			const all = await response.text();
			return response.status === 500 || all === "" ? `${response.status} ${all}` : "";
		}),
		8000,
	);
	return seen === "" ? undefined : `${seen} for ${path} ${JSON.stringify(Buffer.from(bytes).toString("latin1"))}`;
};

const tries: Record<Side, Try> = { http: raw, bodies: body, streams: stream };

/** Tries for so many seconds, several at once, and looks at the end whether all calls are over and the next is answered. */
export const fuzz = async (side: Side, seconds: number, seed: number): Promise<FuzzResult> => {
	const random = randomOf(seed);
	const pick: Pick = (list) => list[Math.floor(random() * list.length)] as (typeof list)[number];
	const house = await startHouse();
	const found: string[] = [];
	let count = 0;
	const until = performance.now() + seconds * 1000;
	const work = async (): Promise<void> => {
		while (performance.now() < until && found.length < 10) {
			count++;
			const wrong = await tries[side](house, random, pick);
			if (wrong !== undefined) found.push(wrong);
		}
	};
	// The streams' upstream answers one thing at a time.
	await Promise.all(Array.from({ length: side === "streams" ? 1 : 8 }, work));
	for (const { level, msg, error } of house.gateway.log)
		if (level === "error" && found.length < 10) found.push(`in the log: ${String(msg)} ${String(error)}`);
	for (let look = 0; look < 600 && house.gateway.portico.openCalls() > 0; look++)
		await new Promise((resolve) => setTimeout(resolve, 10));
	if (house.gateway.portico.openCalls() > 0) found.push("calls are still open");
	house.upstream.answer(() => streamOf([delta("Hi"), finish, done]));
	const after = await house.gateway.ask("/v1/messages", {
		model: "m",
		max_tokens: 5,
		messages: [{ role: "user", content: text }],
	});
	if (after.status !== 200) found.push(`afterwards a good call is answered with ${after.status}`);
	await house.gateway.stop();
	await house.upstream.stop();
	return { tries: count, found };
};
