/** One recorded exchange tried for a client of another protocol. */
import type { Protocol } from "#core";
import { fold, type NeutralEvent, type NeutralRequest, type NeutralResponse } from "#core";
import { streamFaults } from "../support/grammar/check.ts";
import type { ProtocolName, Recording } from "../support/recordings.ts";
import type { Checks } from "../support/schemas.ts";
import { readAnswer, readStream } from "./clients.ts";
import { differences } from "./compare.ts";
import { requestDifferences } from "./sketch.ts";
import type { Raised, Told } from "./told.ts";
import {
	type Asked,
	asEvents,
	type Carried,
	carryRequest,
	decodeAnswer,
	decodeContext,
	decodeStream,
	encodeStream,
	isStream,
	plainRequest,
	recordedRequest,
} from "./translate.ts";

export interface Pair {
	readonly client: Protocol;
	readonly upstream: Protocol;
	readonly checks: Readonly<Record<ProtocolName, Checks>>;
}

export interface Trial {
	readonly pair: string;
	/** `plain` or `stream` as recorded; `plain as stream` and `stream as plain` when told the other way; `request`. */
	readonly mode: string;
	readonly name: string;
	readonly official: boolean;
	/** Differences between what the two clients understood. */
	readonly differences: readonly string[];
	/** Breaches of schema and grammar. */
	readonly invalid: readonly string[];
	/** The exception that ended it. */
	readonly crash: string | undefined;
}

const nameOf = (protocol: Protocol): ProtocolName => protocol.name as ProtocolName;

/** All that can be tried of one exchange: requests there and back, and the answer both whole and streamed. */
export const tryExchange = async (pair: Pair, recording: Recording, want: Told | Raised): Promise<readonly Trial[]> => {
	const request = tryRequest(pair, recording);
	const stream = isStream(recording.answer);
	const asked = request.asked ?? plainRequest(pair.client, stream).neutral;
	const native = stream ? "stream" : "plain";
	const other = stream ? "stream as plain" : "plain as stream";
	const whole = () => tryWhole(pair, recording, asked, request.back, want);
	const streamed = () => tryStreamed(pair, recording, asked, request.back, want);
	const base = {
		pair: `${pair.client.name} ← ${pair.upstream.name}`,
		name: recording.name,
		official: recording.official,
	};
	return [
		...(request.trial ? [{ ...base, ...request.trial }] : []),
		{ ...base, mode: native, ...(await guarded(stream ? streamed : whole)) },
		{ ...base, mode: other, ...(await guarded(stream ? whole : streamed)) },
	];
};

type Result = Pick<Trial, "differences" | "invalid" | "crash">;

const describe = (error: unknown): string => {
	if (!(error instanceof Error)) return String(error);
	const place = /((?:core|plugins|test)\/[\w/.-]+:\d+)/.exec(error.stack ?? "")?.[1] ?? "";
	return `${error.name}: ${error.message.slice(0, 160)} at ${place}`;
};

const guarded = async (trial: () => Promise<Result>): Promise<Result> => {
	try {
		return await trial();
	} catch (error) {
		return { differences: [], invalid: [], crash: describe(error) };
	}
};

interface RequestTrial {
	readonly trial?: Result & { readonly mode: string };
	/** The client's request, for the way back. */
	readonly asked?: NeutralRequest;
	/** The same request for the recorded upstream. */
	readonly back?: Carried;
}

/** The recorded request as the client would have written it, and that for the upstream again. */
const tryRequest = ({ client, upstream, checks }: Pair, recording: Recording): RequestTrial => {
	const mode = "request";
	let before: Asked | undefined;
	try {
		before = recordedRequest(upstream, recording);
	} catch (error) {
		return { trial: { mode, differences: [], invalid: [], crash: `own decoder: ${describe(error)}` } };
	}
	if (!before) return {};
	try {
		const there = carryRequest(before.neutral, client);
		const back = carryRequest(there.neutral, upstream);
		const lost = [...there.encoded.losses, ...back.encoded.losses].map(({ path }) => path);
		const invalid = [
			breach(`${client.name} request`, checks[nameOf(client)].request(there.body)),
			breach(`${upstream.name} request`, checks[nameOf(upstream)].request(back.body)),
		].flat();
		const found = requestDifferences(before.neutral, back.neutral).map((what) =>
			lost.length > 0 ? `${what} (told: ${[...new Set(lost)].join(", ")})` : what,
		);
		return { trial: { mode, differences: found, invalid, crash: undefined }, asked: there.neutral, back };
	} catch (error) {
		return { trial: { mode, differences: [], invalid: [], crash: describe(error) } };
	}
};

const breach = (what: string, fault: string | null): readonly string[] =>
	fault === null ? [] : [`${what}: ${fault.replaceAll(/\d+/g, "#")}`];

const responseOf = (
	{ upstream }: Pair,
	recording: Recording,
	request: NeutralRequest,
	back?: Carried,
): NeutralResponse => {
	const context = decodeContext(request, back?.encoded);
	const { answer } = recording;
	return answer.form === "json"
		? decodeAnswer(upstream, answer.value, context)
		: fold(decodeStream(upstream, answer, context));
};

const eventsFor = (
	pair: Pair,
	recording: Recording,
	request: NeutralRequest,
	back?: Carried,
): readonly NeutralEvent[] =>
	isStream(recording.answer)
		? decodeStream(pair.upstream, recording.answer, decodeContext(request, back?.encoded))
		: asEvents(responseOf(pair, recording, request, back));

const tryWhole = async (
	pair: Pair,
	recording: Recording,
	request: NeutralRequest,
	back: Carried | undefined,
	want: Told | Raised,
): Promise<Result> => {
	const response = responseOf(pair, recording, request, back);
	// the core answers a failure with an error of the client's protocol
	const client = nameOf(pair.client);
	if (response.error)
		return {
			differences: differences(client, { raised: response.error.message, told: true }, failure(want)),
			invalid: [],
			crash: undefined,
		};
	const { body } = pair.client.client.encodeResponse(response, request);
	const invalid = breach(`${client} answer`, pair.checks[client].response(body));
	return { differences: differences(client, await readAnswer(client, body), want), invalid, crash: undefined };
};

/** A failure that one client raises and another gives as an answer that failed. */
const failure = (told: Told | Raised): Told | Raised =>
	"candidates" in told && told.candidates.some(({ ended }) => ended === "failed")
		? { raised: "failed", told: true }
		: told;

const tryStreamed = async (
	pair: Pair,
	recording: Recording,
	request: NeutralRequest,
	back: Carried | undefined,
	want: Told | Raised,
): Promise<Result> => {
	const client = nameOf(pair.client);
	const events = eventsFor(pair, recording, request, back);
	const text = encodeStream(pair.client, events, request);
	const invalid = [
		...streamFaults(client, text).map((fault) => `${client} stream: ${fault.replaceAll(/\d+/g, "#")}`),
		...eventFaults(pair.checks[client], client, text),
	];
	const got = failure(await readStream(client, text));
	return { differences: differences(client, got, failure(want)), invalid: [...new Set(invalid)], crash: undefined };
};

const eventFaults = (checks: Checks, client: ProtocolName, text: string): readonly string[] =>
	text.split("\n").flatMap((line) => {
		if (!line.startsWith("data: ") || line === "data: [DONE]") return [];
		const event: unknown = JSON.parse(line.slice(6));
		const passes =
			typeof event === "object" && event !== null && ("error" in event || ("type" in event && event.type === "ping"));
		if (passes && client !== "responses") return [];
		return breach(`${client} event`, checks.event(event));
	});
