/** What the bench measures of a running pair, each as rows of its table. */
import { bodyOf, type Compared, compare, type Pace, type Party } from "./drive.ts";
import { atSteadyRate, oneAtATime } from "./latency.ts";
import { measureMemory } from "./memory.ts";
import type { protocols, Started } from "./portico.ts";
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
} as const satisfies Partial<Record<(typeof protocols)[number], string>>;

export const row = (
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

/** A cost beside the relay's, by pairs of rounds. `share`: how many such things a call is. */
export const costRow = (
	what: string,
	{ beside, portico, ratio }: Compared,
	share: number,
	rest: Partial<Row> = {},
): Row => row(what, "µs", [beside.micros / share, portico.micros / share], { ratio, ...rest });

/** Calls answered in one piece. At one connection the relay's own figure varies threefold: there microseconds are compared. */
export const callRows = async (pair: Pair, connections: number, pace: Pace, most: number): Promise<Row[]> => {
	const load = { body: bodyOf(), connections };
	const compared = await compare(pair, [load, load], pace);
	const { beside, portico } = compared;
	const over = connections === 1 ? "1 connection" : `${connections} connections`;
	const cost = costRow(`processor time a call, ${over}`, compared, 1, {
		most,
		...(connections === 1 && { by: "added" }),
	});
	if (pace.together) return [cost];
	return [cost, row(`calls a second, ${over}`, "/s", [beside.perSecond, portico.perSecond])];
};

/** A call with a prompt of 150 KB. */
export const largeRows = async (pair: Pair, pace: Pace): Promise<Row[]> => {
	const load = { body: bodyOf({ messages: [{ role: "user", content: "word ".repeat(30_000) }] }), connections: 16 };
	return [costRow("processor time a call of 150 KB", await compare(pair, [load, load], pace), 1)];
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

/** The upstream's speeds, as a body names them, and how many streams of each are open at once. */
const speeds = { "": 32, paced: 256, long: 16 } as const;
type Speed = keyof typeof speeds;

const ofSpeed = (speed: Speed) => ({ stream: true, ...(speed !== "" && { user: speed }) });
const eventsOf = (speed: Speed): number => (speed === "long" ? 2_000 : events);

const speedWords: Readonly<Record<Speed, string>> = {
	"": "",
	paced: ", paced streams",
	long: ", streams of 2,000 events",
};

/** Streams that take their time are counted, not timed: a short turn would end before any of them does. */
const paceOf = (speed: Speed, pace: Pace): Pace =>
	speed === "" ? pace : { ...pace, length: { amount: 2 * speeds[speed] } };

/** Streams whose client speaks the upstream's protocol. */
export const passedRows = async (pair: Pair, pace: Pace, most: number, speed: Speed = ""): Promise<Row[]> => {
	const body = bodyOf({ ...ofSpeed(speed), stream_options: { include_usage: true } });
	const load = { body, connections: speeds[speed] };
	const what = `processor time an event, passed through${speedWords[speed]}`;
	return [costRow(what, await compare(pair, [load, load], paceOf(speed, pace)), eventsOf(speed), { most })];
};

/** The same where the client did not ask for usage: Portico asks for it and takes it out again. */
export const strippedRows = async (pair: Pair, pace: Pace): Promise<Row[]> => {
	const load = { body: bodyOf({ stream: true }), connections: 32 };
	return [costRow("the same, usage asked for and taken out", await compare(pair, [load, load], pace), events)];
};

/** Translations: the client's protocol, and the upstream's. */
export const translations = [
	["messages", "chat-completions"],
	["chat-completions", "messages"],
	["chat-completions", "responses"],
	["chat-completions", "generate-content"],
	["responses", "chat-completions"],
	["generate-content", "chat-completions"],
] as const;
export type Translation = (typeof translations)[number];

/** What sets the upstream's pace is the user, whom Anthropic's protocol names elsewhere. */
const inMessages = ({ user, ...rest }: { readonly user?: string }): object =>
	user === undefined ? rest : { ...rest, metadata: { user_id: user } };

/** The same question in the client's words, for a model whose upstream speaks another protocol. */
const question = ([client, spoken]: Translation, extra: { readonly user?: string }): string => {
	const model = `bench-${spoken}`;
	const text = "Say hello.";
	if (client === "responses") return JSON.stringify({ model, input: text, ...extra });
	if (client === "generate-content")
		return JSON.stringify({
			contents: [{ role: "user", parts: [{ text }] }],
			generationConfig: { maxOutputTokens: 400 },
		});
	return bodyOf({ model, max_tokens: 400, ...(client === "messages" ? inMessages(extra) : extra) });
};

const pathOf = (protocol: Translation[0 | 1], model: string, stream: boolean): string =>
	protocol === "generate-content"
		? `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`
		: paths[protocol];

const translatedLoads = (translation: Translation, connections: number, extra: { readonly user?: string }) => {
	const [client, spoken] = translation;
	const stream = "stream" in extra;
	const plain = bodyOf(extra);
	const beside = { body: plain, connections, path: pathOf(spoken, "bench", stream) };
	const portico = { body: question(translation, extra), connections, path: pathOf(client, `bench-${spoken}`, stream) };
	return [beside, portico] as const;
};

/** Streams that are translated; the relay passes on what Portico translates. */
export const translatedRows = async (
	pair: Pair,
	translation: Translation,
	pace: Pace,
	most: number,
	speed: Speed = "",
): Promise<Row[]> => {
	const [client, spoken] = translation;
	const loads = translatedLoads(translation, speeds[speed], ofSpeed(speed));
	const what = `an event from ${spoken} to ${client}${speedWords[speed]}`;
	return [costRow(what, await compare(pair, loads, paceOf(speed, pace)), eventsOf(speed), { most })];
};

/** The same of answers in one piece. */
export const translatedWholeRows = async (
	pair: Pair,
	translation: Translation,
	pace: Pace,
	most: number,
): Promise<Row[]> => {
	const [client, spoken] = translation;
	const loads = translatedLoads(translation, 64, {});
	return [costRow(`whole answer from ${spoken} to ${client}`, await compare(pair, loads, pace), 1, { most })];
};

/** Memory of Portico alone: beside the open streams, and after them, stands the idle figure. */
export const memoryRows = async (gateway: Started): Promise<Row[]> => {
	const streams = 512;
	const { idle, open, after } = await measureMemory(gateway, gateway.pid, streams);
	return [
		row(`memory idle, and under ${streams} streams`, "MB", [idle / 1e6, open / 1e6]),
		row("memory idle, and after them", "MB", [idle / 1e6, after / 1e6], { most: 1.1 }),
		{ what: "memory a stream", unit: "KB", portico: (open - idle) / streams / 1e3, by: "figure" },
	];
};
