/**
 * What Portico adds to a call, in numbers taken side by side in one run: a mock upstream, a bare relay and Portico with
 * every policy, quota and the ledger on, each in its own process, driven in turns.
 *
 *   npm run bench [-- --json] [-- --quick] [-- --against URL --header "authorization: Bearer …"]
 *
 * Exits with 1 when a ratio is over its budget.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { type Measured, memoryBytes, processorMicros, start } from "./processes.ts";

const { values: flags } = parseArgs({
	options: {
		json: { type: "boolean" },
		quick: { type: "boolean" },
		against: { type: "string" },
		header: { type: "string", multiple: true },
	},
});

const root = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
const seconds = flags.quick ? 2 : 5;
const rounds = flags.quick ? 2 : 3;

/** The budget: how many times the bare relay each may cost. The quick form only catches a regression of twice. */
const budget = { call: flags.quick ? 3 : 1.5, event: flags.quick ? 2.3 : 1.15, translated: flags.quick ? 2.7 : 1.35 };

const protocols = ["chat-completions", "messages", "responses", "generate-content"] as const;

/** Where a protocol's streams are asked for. */
const paths = {
	"chat-completions": "/v1/chat/completions",
	messages: "/v1/messages",
	responses: "/v1/responses",
	"generate-content": "/v1beta/models/bench:streamGenerateContent",
} as const;

interface Party {
	readonly name: string;
	readonly process: Measured | undefined;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

const portico = async (upstream: string): Promise<{ party: Party; firstAnswerMs: number }> => {
	const config = join(folder, "portico.yaml");
	const plugins = [
		{ use: "tokens" },
		{ use: "expiry" },
		{ use: "model-list" },
		{ use: "ip-whitelist" },
		{ use: "prices", with: { models: { bench: { input: 1, output: 2 } } } },
		{ use: "quota" },
		{ use: "rate-limit" },
		...protocols.map((use) => ({ use })),
		{
			use: "router",
			with: {
				upstreams: protocols.map((protocol) => ({
					name: protocol,
					protocol,
					url: `${upstream}/${protocol === "generate-content" ? "v1beta" : "v1"}`,
					key: "sk-bench",
				})),
				models: [
					{ name: "bench", targets: [{ upstream: "chat-completions" }] },
					...protocols.map((protocol) => ({
						name: `bench-${protocol}`,
						targets: [{ upstream: protocol, model: "bench" }],
					})),
				],
			},
		},
		{ use: "ledger" },
	];
	writeFileSync(
		config,
		JSON.stringify({ server: { port: 0, logLevel: "warn" }, database: { url: "file:data/portico.db" }, plugins }),
	);
	const began = performance.now();
	const process = await start([join(root, "core/main.ts"), "serve", "--config", config], {
		cwd: folder,
		env: { PORTICO_ADMIN_TOKEN: "bench" },
	});
	const first = await fetch(`${process.url}/readyz`);
	const firstAnswerMs = performance.now() - began;
	await first.text();
	const issued = await fetch(`${process.url}/admin/tokens`, {
		method: "POST",
		headers: { authorization: "Bearer bench", "content-type": "application/json" },
		body: JSON.stringify({
			name: "bench",
			quota: 1_000_000,
			models: ["bench*"],
			ips: ["127.0.0.0/8"],
			expiresAt: "2099-01-01T00:00:00Z",
		}),
	});
	const { key } = (await issued.json()) as { key: string };
	return {
		party: { name: "portico", process, url: process.url, headers: { authorization: `Bearer ${key}` } },
		firstAnswerMs,
	};
};

const body = (extra: object): string =>
	JSON.stringify({ model: "bench", messages: [{ role: "user", content: "Say hello." }], ...extra });

/** Translations: the client's protocol, and the upstream's. */
const pairs = [
	["chat-completions", "messages"],
	["chat-completions", "responses"],
	["chat-completions", "generate-content"],
	["messages", "chat-completions"],
] as const;

interface Figures {
	readonly micros: number;
	readonly perSecond: number;
	readonly p50: number;
	readonly p99: number;
	readonly errors: number;
}

const drive = async (
	party: Party,
	text: string,
	connections: number,
	path: string = paths["chat-completions"],
): Promise<Figures> => {
	const before = party.process ? processorMicros(party.process.pid) : 0;
	const result = await autocannon({
		url: party.url + path,
		method: "POST",
		headers: { "content-type": "application/json", ...party.headers },
		body: text,
		connections,
		duration: seconds,
	});
	const used = party.process ? processorMicros(party.process.pid) - before : Number.NaN;
	const calls = result["2xx"];
	return {
		micros: used / calls,
		perSecond: calls / result.duration,
		p50: result.latency.p50,
		p99: result.latency.p99,
		errors: result.errors + result.non2xx,
	};
};

/** The middle of several rounds, parties in turns. `path` may differ: a relay passes on what Portico translates. */
const compare = async (
	parties: readonly Party[],
	text: string,
	connections: number,
	path: readonly string[] = [],
): Promise<Figures[]> => {
	const all: Figures[][] = parties.map(() => []);
	for (let round = 0; round < rounds; round++)
		for (const [index, party] of parties.entries())
			all[index]?.push(await drive(party, text, connections, path[index]));
	return all.map((figures) => figures.sort((a, b) => a.micros - b.micros)[Math.floor(figures.length / 2)] as Figures);
};

const upstream = await start([join(import.meta.dir, "mock-upstream.ts")]);
const relay = await start([join(import.meta.dir, "bare-relay.ts"), upstream.url]);
const { party: house, firstAnswerMs } = await portico(upstream.url);
const other: Party = flags.against
	? {
			name: flags.against,
			process: undefined,
			url: flags.against,
			headers: Object.fromEntries((flags.header ?? []).map((header) => header.split(/:\s*/, 2) as [string, string])),
		}
	: { name: "bare relay", process: relay, url: relay.url, headers: {} };
const parties = [other, house];

const rows: { what: string; other: number; portico: number; unit: string; ratio: number; budget?: number }[] = [];
const note = (
	what: string,
	unit: string,
	[a = Number.NaN, b = Number.NaN]: readonly number[],
	limit?: number,
): void => {
	rows.push({ what, unit, other: a, portico: b, ratio: b / a, ...(limit !== undefined && { budget: limit }) });
};

try {
	for (const party of parties) await drive(party, body({}), 16);
	const idle = memoryBytes(house.process?.pid ?? 0);
	for (const connections of flags.quick ? [64] : [1, 64, 512]) {
		const figures = await compare(parties, body({}), connections);
		note(
			`processor time a call, ${connections} connections`,
			"µs",
			figures.map(({ micros }) => micros),
			budget.call,
		);
		note(
			`calls a second, ${connections} connections`,
			"/s",
			figures.map(({ perSecond }) => perSecond),
		);
		note(
			`p50, ${connections} connections`,
			"ms",
			figures.map(({ p50 }) => p50),
		);
		note(
			`p99, ${connections} connections`,
			"ms",
			figures.map(({ p99 }) => p99),
		);
		const errors = figures.reduce((sum, figure) => sum + figure.errors, 0);
		if (errors > 0) throw new Error(`${errors} calls failed at ${connections} connections`);
	}
	const events = 200;
	const streams = await compare(parties, body({ stream: true, stream_options: { include_usage: true } }), 32);
	note(
		"processor time a streamed event, passed through",
		"µs",
		streams.map(({ micros }) => micros / events),
		budget.event,
	);
	const stripped = await compare(parties, body({ stream: true }), 32);
	note(
		"the same, usage asked for and taken out again",
		"µs",
		stripped.map(({ micros }) => micros / events),
	);
	for (const [client, spoken] of pairs) {
		const text = body({ model: `bench-${spoken}`, stream: true, max_tokens: 400 });
		const figures = await compare(parties, text, 32, [paths[spoken], paths[client]]);
		if (figures.some(({ errors: failed }) => failed > 0)) throw new Error(`calls from ${client} to ${spoken} failed`);
		note(
			`an event from ${spoken} to ${client}`,
			"µs",
			figures.map(({ micros }) => micros / events),
			budget.translated,
		);
	}
	const open = drive(house, body({ stream: true }), 512);
	await new Promise((resolve) => setTimeout(resolve, seconds * 600));
	note(
		"memory, idle and under 512 streams",
		"MB",
		[idle, memoryBytes(house.process?.pid ?? 0)].map((bytes) => bytes / 1e6),
	);
	await open;
	const large = await compare(parties, body({ messages: [{ role: "user", content: "word ".repeat(30_000) }] }), 16);
	note(
		"processor time a call of 150 KB",
		"µs",
		large.map(({ micros }) => micros),
	);
	note(
		"memory, idle and after",
		"MB",
		[idle, memoryBytes(house.process?.pid ?? 0)].map((bytes) => bytes / 1e6),
	);
	note("start to first answered request", "ms", [300, firstAnswerMs], flags.quick ? 3 : 1);
} finally {
	for (const { process: running } of parties) await running?.stop();
	await relay.stop();
	await upstream.stop();
	rmSync(folder, { recursive: true, force: true });
}

const over = rows.filter(({ ratio, budget: limit }) => limit !== undefined && ratio > limit);
if (flags.json) console.log(JSON.stringify(rows, undefined, "\t"));
else {
	const show = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
	console.log(`${"what".padEnd(52)} ${other.name.padStart(12)} ${"portico".padStart(12)}  ratio  budget`);
	for (const row of rows)
		console.log(
			`${row.what.padEnd(52)} ${`${show(row.other)} ${row.unit}`.padStart(12)} ${`${show(row.portico)} ${row.unit}`.padStart(12)}  ${row.ratio.toFixed(2).padStart(5)}  ${row.budget ?? ""}`,
		);
}
for (const row of over)
	console.log(`over budget: ${row.what} (${row.ratio.toFixed(2)} × where ${row.budget} × is allowed)`);
process.exit(over.length > 0 ? 1 : 0);
