/** What the bench measures, each as rows of its table. */
import { asNumber, asRecord, parseJson } from "#core";
import { sqldProgram, startSqld } from "../support/sqld.ts";
import { bodyOf, compare, drive, type Pace, type Party, warm } from "./drive.ts";
import { type protocols, type Started, startHouse, startRelay } from "./house.ts";
import { atSteadyRate, oneAtATime } from "./latency.ts";
import { measureMemory } from "./memory.ts";
import { outputOf } from "./processes.ts";
import type { Row } from "./table.ts";

/** The bare relay (or what else is beside), and Portico. */
export type Pair = readonly [Party, Party];

/** How many events a stream of the upstream has. */
const events = 200;

/** Where a protocol's streams are asked for. */
const paths = {
	"chat-completions": "/v1/chat/completions",
	messages: "/v1/messages",
	responses: "/v1/responses",
	"generate-content": "/v1beta/models/bench:streamGenerateContent",
} as const satisfies Record<(typeof protocols)[number], string>;

const row = (
	what: string,
	unit: string,
	[beside, portico]: readonly [number, number],
	rest: Partial<Row> = {},
): Row => ({
	what,
	unit,
	beside,
	portico,
	...rest,
});

/** Calls answered in one piece. */
export const callRows = async (pair: Pair, connections: number, pace: Pace, most: number): Promise<Row[]> => {
	const load = { body: bodyOf(), connections };
	const [a, b] = await compare(pair, [load, load], pace);
	const over = connections === 1 ? "1 connection" : `${connections} connections`;
	const cost = row(`processor time a call, ${over}`, "µs", [a.micros, b.micros], { most });
	if (pace.together) return [cost];
	return [cost, row(`calls a second, ${over}`, "/s", [a.perSecond, b.perSecond])];
};

/** A call with a prompt of 150 KB. */
export const largeRows = async (pair: Pair, pace: Pace): Promise<Row[]> => {
	const load = { body: bodyOf({ messages: [{ role: "user", content: "word ".repeat(30_000) }] }), connections: 16 };
	const [a, b] = await compare(pair, [load, load], pace);
	return [row("processor time a call of 150 KB", "µs", [a.micros, b.micros])];
};

export const latencyRows = async (pair: Pair): Promise<Row[]> => {
	const rows: Row[] = [];
	for (const [how, [a, b]] of [
		["one call at a time", await oneAtATime(pair, 2000)],
		["1,000 calls a second", await atSteadyRate(pair, 1000, 5)],
	] as const)
		rows.push(
			row(`p50, ${how}`, "ms", [a.p50, b.p50], { by: "added" }),
			row(`p99, ${how}`, "ms", [a.p99, b.p99], { by: "added" }),
		);
	return rows;
};

/** Streams whose client speaks the upstream's protocol. */
export const passedRows = async (pair: Pair, pace: Pace, most: number): Promise<Row[]> => {
	const load = { body: bodyOf({ stream: true, stream_options: { include_usage: true } }), connections: 32 };
	const [a, b] = await compare(pair, [load, load], pace);
	return [row("processor time an event, passed through", "µs", [a.micros / events, b.micros / events], { most })];
};

/** The same where the client did not ask for usage: Portico asks for it and takes it out again. */
export const strippedRows = async (pair: Pair, pace: Pace): Promise<Row[]> => {
	const load = { body: bodyOf({ stream: true }), connections: 32 };
	const [a, b] = await compare(pair, [load, load], pace);
	return [row("the same, usage asked for and taken out", "µs", [a.micros / events, b.micros / events])];
};

/** Translations: the client's protocol, and the upstream's. */
export const translations = [
	["messages", "chat-completions"],
	["chat-completions", "messages"],
	["chat-completions", "responses"],
	["chat-completions", "generate-content"],
] as const;

/** Streams that are translated; the relay passes on what Portico translates. */
export const translatedRows = async (
	pair: Pair,
	[client, spoken]: (typeof translations)[number],
	pace: Pace,
	most: number,
): Promise<Row[]> => {
	const body = bodyOf({ model: `bench-${spoken}`, stream: true, max_tokens: 400 });
	const loads = [paths[spoken], paths[client]].map((path) => ({ body, connections: 32, path }));
	const [ofRelay, ofPortico] = loads;
	if (!ofRelay || !ofPortico) throw new Error("there are two loads");
	const [a, b] = await compare(pair, [ofRelay, ofPortico], pace);
	return [row(`an event from ${spoken} to ${client}`, "µs", [a.micros / events, b.micros / events], { most })];
};

/** Memory of Portico alone: beside the open streams, and after them, stands the idle figure. */
export const memoryRows = async (house: Started): Promise<Row[]> => {
	const streams = 512;
	const { idle, open, after } = await measureMemory(house, house.pid, streams);
	return [
		row(`memory idle, and under ${streams} streams`, "MB", [idle / 1e6, open / 1e6]),
		row("memory idle, and after them", "MB", [idle / 1e6, after / 1e6], { most: 1.1 }),
		{ what: "memory a stream", unit: "KB", portico: (open - idle) / streams / 1e3, by: "figure" },
	];
};

const middle = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** The middle of five starts, each in a new folder: tables made, a token issued, a call answered. */
export const startRows = async (
	upstream: string,
	{ ms, processorMs }: { readonly ms?: number; readonly processorMs?: number },
): Promise<Row[]> => {
	const parties = [startRelay, startHouse].map((begin) => ({ begin, took: [] as number[], used: [] as number[] }));
	for (let index = 0; index < 5; index++)
		for (const { begin, took, used } of parties) {
			const started = await begin(upstream);
			took.push(started.firstAnswerMs);
			used.push(started.firstAnswerProcessorMs);
			await started.stop();
		}
	const [relay, house] = parties.map(({ took, used }) => ({ took: middle(took), used: middle(used) }));
	if (!relay || !house) throw new Error("there are two parties");
	return [
		row("start to first answered call", "ms", [relay.took, house.took], { by: "figure", most: ms }),
		{ what: "processor time of that", unit: "ms", portico: house.used, by: "figure", most: processorMs },
	];
};

const figuresOf = async (file: string, ...words: string[]): Promise<(name: string) => number> => {
	const record = asRecord(parseJson(await outputOf(file, ["--json", ...words])));
	return (name) => asNumber(record[name]) ?? Number.NaN;
};

/** What the rules and the books cost by themselves, without HTTP. */
export const policyRows = async (most: number, ...words: string[]): Promise<Row[]> => {
	const figure = await figuresOf("policies.ts", ...words);
	const what = "policies, reservation, journal and ledger, a call";
	return [{ what, unit: "µs", portico: figure("policiesMicros"), by: "figure", most }];
};

/** Callbacks. Of their cost the relay's call is the measure. */
export const deliveryRows = async (
	relay: Party,
	count: number,
	limit: { readonly least?: number; readonly most?: number },
): Promise<Row[]> => {
	const { micros } = await drive(relay, { body: bodyOf(), connections: 64 }, { amount: 8000 });
	const figure = await figuresOf("deliveries.ts", String(count));
	return [
		{
			what: "callbacks delivered a second",
			unit: "/s",
			portico: figure("perSecond"),
			by: "figure",
			least: limit.least,
		},
		row("processor time a callback, beside a relayed call", "µs", [micros, figure("micros")], { most: limit.most }),
		{ what: "callbacks lost", unit: "", portico: figure("lost"), by: "figure", most: 0 },
	];
};

/** One worker and two, on one database server. None where there is no `sqld`. */
export const workerRows = async (upstream: string, folder: string, pace: Pace): Promise<Row[]> => {
	const program = sqldProgram();
	if (program === undefined) return [];
	const database = await startSqld(program, folder);
	try {
		const one = await startHouse(upstream, { database: database.url });
		const two = await startHouse(upstream, { database: database.url, workers: 2 });
		try {
			const load = { body: bodyOf(), connections: 64 };
			for (const house of [one, two]) await warm(house);
			const [a, b] = await compare([one, two], [load, load], pace);
			return [
				row("calls a second, 1 worker and 2 workers", "/s", [a.perSecond, b.perSecond]),
				row("processor time a call, 1 worker and 2 workers", "µs", [a.micros, b.micros]),
			];
		} finally {
			await one.stop();
			await two.stop();
		}
	} finally {
		await database.close();
	}
};
