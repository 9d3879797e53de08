/** One try at each side of Portico, decided by its seed alone: gives what is wrong, or nothing. */
import { connect } from "node:net";
import { asRecord } from "#core";
import { streamOf } from "#core/testing";
import { streamFaults } from "../support/grammar/check.ts";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { answerWell, askIn, type FuzzedGateway } from "./gateway.ts";
import { damage, mutateEvents, mutateText } from "./mutate.ts";
import type { Chance } from "./random.ts";
import type { Seeds } from "./seeds.ts";

export const sides = ["http", "bodies", "streams"] as const;
export type Side = (typeof sides)[number];

export interface World {
	readonly fuzzed: FuzzedGateway;
	readonly seeds: Readonly<Record<ProtocolName, Seeds>>;
}

type Try = (world: World, chance: Chance) => Promise<string | undefined>;

/** Longer than any limit of the gateway. */
const patienceMs = 8_000;

const within = <T>(work: Promise<T>): Promise<T | "hang"> => {
	const { promise, resolve } = Promise.withResolvers<"hang">();
	const timer = setTimeout(() => resolve("hang"), patienceMs);
	return Promise.race([work, promise]).finally(() => clearTimeout(timer));
};

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** An error in the shape that clients of the protocol read. */
const isWellShaped = (client: ProtocolName, text: string): boolean => {
	const body = asRecord(parsed(text));
	const error = asRecord(body["error"]);
	if (client === "messages") return body["type"] === "error" && isText(error["type"]) && isText(error["message"]);
	return isText(error["message"]) && (client === "generate-content" ? isText(error["status"]) : isText(error["type"]));
};

const parsed = (text: string): unknown => {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
};

/** What an upstream says in a tool call is its own; how it is told to the client is ours. */
const ofContent = /: (torn arguments|arguments are not an object)/;

/** What is wrong with an answer. A stream that was only passed on has the upstream's own grammar. */
const wrongAnswer = (
	answer: { readonly status: number; readonly text: string; readonly type: string },
	client: ProtocolName,
	stream: boolean,
	passed: boolean,
): string | undefined => {
	const { status, text, type } = answer;
	if (text.includes("upstream-secret")) return "the upstream's key came out";
	if (status === 500) return `500 ${text}`;
	// Refused requests of its own protocol are the upstream's words.
	if (status >= 400) return passed || isWellShaped(client, text) ? undefined : `${status} in no shape: ${text}`;
	if (!type.includes("event-stream")) return parsed(text) === undefined ? `no JSON: ${text}` : undefined;
	if (!stream) return "a stream that was not asked for";
	if (passed) return text === "" ? "an empty stream" : undefined;
	const faults = streamFaults(client, text).filter((fault) => !ofContent.test(fault));
	return faults.length > 0 ? `${faults.join("; ")} in ${text}` : undefined;
};

const ask = async (
	{ gateway }: FuzzedGateway,
	client: ProtocolName,
	path: string,
	body: string | Uint8Array,
	stream: boolean,
	passed: boolean,
): Promise<string | undefined> => {
	const answer = await within(
		gateway
			.ask(path, undefined, { method: "POST", body: body as BodyInit })
			.then(async (response) => ({
				status: response.status,
				type: response.headers.get("content-type") ?? "",
				text: await response.text(),
			}))
			// A stream that is passed on and breaks off in the middle of an event may be cut, which a client sees.
			.catch((error: unknown) => `broken: ${String(error)}`),
	);
	if (typeof answer === "string") return answer;
	return wrongAnswer(answer, client, stream, passed);
};

const withFields = (request: string, fields: object): string =>
	JSON.stringify({ ...asRecord(parsed(request)), ...fields });

/** Requests with their structure changed, or their bytes. */
const bodies: Try = async ({ fuzzed, seeds }, chance) => {
	const client = chance.pick(protocolNames);
	const upstream = chance.pick(protocolNames);
	const stream = chance.happens(0.3);
	const { path, fields } = askIn(client, upstream, stream);
	const request = withFields(chance.some(seeds[client].requests) ?? "{}", fields);
	const body = chance.happens(0.85)
		? mutateText(request, 1 + chance.below(4), chance, chance.happens(0.9) ? fields : {})
		: damage(new TextEncoder().encode(request), chance);
	fuzzed.upstream.answer(answerWell);
	const wrong = await ask(fuzzed, client, path, body, true, client === upstream);
	return wrong && `${wrong}\n    for ${path} ${typeof body === "string" ? body : Buffer.from(body).toString("latin1")}`;
};

const chunks = (bytes: Uint8Array, chance: Chance): readonly Uint8Array[] => {
	const pieces: Uint8Array[] = [];
	const longest = chance.pick([1, 20, 300, 100_000]);
	for (let at = 0; at < bytes.length; ) {
		// A byte at a time is enough for the beginning; the rest would only take long.
		const next = at + 1 + (pieces.length > 40 ? bytes.length : chance.below(longest));
		pieces.push(bytes.subarray(at, next));
		at = next;
	}
	return pieces;
};

const types: readonly [string, ...string[]] = [
	"text/event-stream",
	"text/event-stream; charset=utf-8",
	"application/json",
	"text/html",
	"",
];

/** What the upstream says: a stream or a whole answer, changed, in pieces, of whatever type and status. */
const saying = (
	seeds: Seeds,
	stream: boolean,
	chance: Chance,
): { readonly text: string; readonly response: () => Response } => {
	const original = chance.some(stream ? seeds.streams : seeds.answers) ?? "";
	const changed = stream ? mutateEvents(original, chance) : mutateText(original, 1 + chance.below(3), chance);
	const encoded = new TextEncoder().encode(changed);
	const bytes = chance.happens(0.25) ? damage(encoded, chance) : encoded;
	const type = chance.happens(0.05) ? chance.pick(types) : stream ? "text/event-stream" : "application/json";
	const status = chance.happens(0.05) ? chance.pick([201, 204, 302, 400, 404, 418, 422, 500, 503, 529]) : 200;
	const pieces = chunks(bytes, chance);
	const response = (): Response =>
		new Response(status === 204 ? null : streamOf(pieces).body, { status, headers: { "content-type": type } });
	return { text: `${status} ${type} ${Buffer.from(bytes).toString("latin1")}`, response };
};

/** Answers with their structure changed, or their bytes, to every client. */
const streams: Try = async ({ fuzzed, seeds }, chance) => {
	const client = chance.pick(protocolNames);
	const upstream = chance.pick(protocolNames);
	const stream = chance.happens(0.8);
	const { path, fields } = askIn(client, upstream, stream);
	const { text, response } = saying(seeds[upstream], chance.happens(0.95) ? stream : !stream, chance);
	fuzzed.upstream.answer(response);
	const [plain = "{}"] = seeds[client].requests;
	const wrong = await ask(fuzzed, client, path, withFields(plain, fields), stream, client === upstream);
	return wrong && `${wrong}\n    for ${path} answered by ${text}`;
};

const closingMs = 100;

const exchange = (port: number, bytes: Uint8Array): Promise<string> =>
	new Promise((resolve) => {
		let got = "";
		const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
		const timer = setTimeout(() => socket.destroy(), closingMs);
		socket.on("data", (data) => {
			got += data.toString("latin1");
			// One answer is enough; a damaged length may leave the connection waiting for more.
			socket.destroy();
		});
		socket.on("error", () => undefined);
		socket.on("close", () => {
			clearTimeout(timer);
			resolve(got);
		});
	});

const lineChanges = (head: readonly string[], chance: Chance): readonly string[] => {
	const at = chance.below(head.length);
	const line = head[at] ?? "";
	switch (chance.below(6)) {
		case 0:
			return head.toSpliced(at, 1);
		case 1:
			return [...head, line];
		case 2:
			return [...head, `X-Long: ${"a".repeat(chance.pick([300, 9_000, 20_000]))}`];
		case 3:
			return [
				...head,
				chance.pick(["Transfer-Encoding: chunked", "Content-Length: 5", "Expect: 100-continue", "Upgrade: h2c"]),
			];
		case 4:
			return [
				...head,
				chance.pick(["Content-Encoding: gzip", "Host: x@y/admin?", "X-Forwarded-For: 1, ::", "Origin: null"]),
			];
		default:
			return head.with(at, line.replace(/: ?/, chance.pick([":", " : ", ":\t", ""])));
	}
};

/** Raw requests with their lines or bytes changed. */
const http: Try = async ({ fuzzed, seeds }, chance) => {
	const client = chance.pick(protocolNames);
	const { path, fields } = askIn(client, chance.pick(protocolNames), chance.happens(0.3));
	const short = seeds[client].requests.filter(({ length }) => length < 3_000);
	const body = new TextEncoder().encode(withFields(chance.some(short) ?? "{}", fields));
	let head: readonly string[] = [
		`${chance.happens(0.9) ? "POST" : chance.pick(["GET", "TRACE", "OPTIONS", "PUT", "x"])} ${path} HTTP/1.1`,
		"Host: 127.0.0.1",
		`Authorization: Bearer ${fuzzed.gateway.key}`,
		"Content-Type: application/json",
		"X-Request-Id: a",
		`Content-Length: ${body.length}`,
	];
	if (chance.happens(0.5)) head = lineChanges(head, chance);
	const whole = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
	const bytes = chance.happens(0.7) ? damage(whole, chance) : whole;
	fuzzed.upstream.answer(answerWell);
	const got = await exchange(Number(new URL(fuzzed.gateway.url).port), bytes);
	if (!/^(HTTP\/1\.1 (?!500)\d{3} |$)/.test(got))
		return `${got.slice(0, 500)}\n    for ${Buffer.from(bytes).toString("latin1")}`;
	return undefined;
};

export const tries: Readonly<Record<Side, Try>> = { http, bodies, streams };
