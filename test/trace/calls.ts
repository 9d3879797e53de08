/**
 * Makes one warm call of each kind in a Portico whose functions are counted, and prints what each entered. Run with
 * `--preload instrument.ts`, and with the names of further plugins; see `trace.test.ts`.
 */
import { startGateway } from "#core/testing";
import { quiet } from "../support/quiet.ts";
import { answer } from "./answer.ts";
import type { Trace } from "./instrument.ts";

export interface Traced {
	/** The call's own: of all its traces the shortest. */
	readonly shortest: Trace;
	/** Every function that any of its traces entered. */
	readonly all: readonly string[];
}

// Not the test kit's upstream: it listens as Portico does, and would be counted with it.
const upstream = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(answer) });
const gateway = await startGateway({
	plugins: [
		"tokens",
		"expiry",
		"model-list",
		"ip-whitelist",
		{ use: "prices", with: { models: { up: { input: 1, output: 2, perImage: 0.01 } } } },
		"quota",
		"rate-limit",
		"chat-completions",
		"messages",
		"responses",
		"generate-content",
		{
			use: "router",
			with: {
				upstreams: [
					{
						name: "main",
						protocol: "chat-completions",
						url: `http://127.0.0.1:${upstream.port}/v1`,
						key: "sk-upstream",
					},
				],
				models: [{ name: "bench", targets: [{ upstream: "main", model: "up" }] }],
			},
		},
		"ledger",
		"call-log",
		"metrics",
		// Tasks that last: what the worker does on earlier ones must not fall into the trace of a later one.
		{ use: "demo", with: { taskSeconds: 3600 } },
		"webhooks",
		"tasks",
		"image",
		// Further ones, by the command line.
		...process.argv.slice(2),
	],
});
const { key } = await gateway.token({
	quota: 1000,
	models: ["bench", "demo-image"],
	ips: ["127.0.0.0/8"],
	expiresAt: "2099-01-01T00:00:00Z",
});

const messages = [{ role: "user", content: "Say hello." }];
const kinds = {
	passthrough: ["/v1/chat/completions", { model: "bench", messages }],
	translated: ["/v1/messages", { model: "bench", max_tokens: 100, messages }],
	task: ["/v1/tasks", { kind: "image", model: "demo-image", prompt: "A lighthouse." }],
} as const;

const recording = globalThis as { trace?: Trace };

/** What a call enters, from its arrival to its answer; what is written behind it is not part of it. */
const traceOf = async ([path, body]: (typeof kinds)[keyof typeof kinds]): Promise<Trace> => {
	const trace: Trace = [];
	recording.trace = trace;
	const response = await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
	await response.text();
	delete recording.trace;
	if (!response.ok) throw new Error(`${path} answered ${response.status}`);
	return trace;
};

/** The first calls of a kind enter what later ones find done. */
const warmUps = 4;
const rounds = 60;

const tracesOf = async (call: (typeof kinds)[keyof typeof kinds]): Promise<Traced> => {
	for (let round = 0; round < warmUps; round++) await traceOf(call);
	const traces: Trace[] = [];
	for (let round = 0; round < rounds; round++) {
		await quiet(20);
		traces.push(await traceOf(call));
	}
	// What runs beside a call by chance (a timer that fell due) only ever adds to it.
	const shortest = traces.reduce((least, one) => (one.length < least.length ? one : least));
	return { shortest, all: [...new Set(traces.flat())] };
};

const found: Record<string, Traced> = {};
for (const [kind, call] of Object.entries(kinds)) found[kind] = await tracesOf(call);
console.log(JSON.stringify(found));
await gateway.stop();
await upstream.stop();
