/** One recorded exchange tried for a client of another protocol. */
import { isDeepStrictEqual } from "node:util";
import type { Protocol } from "#core";
import { fold, isFault, type NeutralEvent, type NeutralRequest, type NeutralResponse } from "#core";
import { streamFaults } from "../support/grammar/check.ts";
import type { ProtocolName, Recording } from "../support/recordings.ts";
import type { Checks } from "../support/schemas.ts";
import { readAnswer, readStream } from "./clients.ts";
import { type Difference, differences } from "./compare.ts";
import { contradiction, contradicts } from "./contradiction.ts";
import { requestDifferences, sketch } from "./sketch.ts";
import { isRaised, type Raised, type Told } from "./told.ts";
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
import { vendorParts } from "./vendor-parts.ts";

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
	readonly differences: readonly Difference[];
	/** Breaches of schema and grammar. */
	readonly invalid: readonly string[];
	/** The exception that ended it. */
	readonly crash: string | undefined;
	/** Whether visible thinking came through; undefined where there was none. */
	readonly thinking?: boolean | undefined;
	/** Whether every cited address came through; undefined where there was none. */
	readonly citations?: boolean | undefined;
	/** What there is to look at when something is wrong. */
	readonly evidence?: unknown;
}

const nameOf = (protocol: Protocol): ProtocolName => protocol.name as ProtocolName;

/** All that can be tried of one exchange: requests there and back, and the answer both whole and streamed. */
export const tryExchange = async (pair: Pair, recording: Recording, want: Told | Raised): Promise<readonly Trial[]> => {
	const request = tryRequest(pair, recording);
	const stream = isStream(recording.answer);
	const asked = request.asked ?? plainRequest(pair.client, stream).neutral;
	const askedStream: NeutralRequest = stream ? asked : { ...asked, stream: true, includeUsage: true };
	const askedWhole: NeutralRequest = stream ? { ...asked, stream: false } : asked;
	const native = stream ? "stream" : "plain";
	const other = stream ? "stream as plain" : "plain as stream";
	const whole = () => tryWhole(pair, recording, askedWhole, request.back, want);
	const streamed = () => tryStreamed(pair, recording, askedStream, request.back, want);
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

/** A recorded refusal: the client of another protocol must raise an error of its own, with the status it acts on. */
export const tryRefusal = async ({ client, upstream }: Pair, recording: Recording): Promise<Trial> => {
	const base = {
		pair: `${client.name} ← ${upstream.name}`,
		name: recording.name,
		official: recording.official,
		mode: "error",
	};
	const result = await guarded(async () => {
		const text = recording.answer.form === "events" ? recording.answer.text : JSON.stringify(bodyOf(recording));
		const denial = upstream.upstream.decodeError(recording.status, new Headers(), text);
		const { status, body } = client.client.renderDenial(denial, "req_1");
		const got = await readAnswer(nameOf(client), body, status);
		const raised = isRaised(got) && got.told ? [] : [{ what: "no error of the client's own was raised" }];
		const wanted = statusFor(recording.status);
		const kept = wanted.includes(status)
			? []
			: [{ what: `status ${status} for ${recording.status}`, reason: reasonForStatus(text) }];
		return { differences: [...raised, ...kept], invalid: [], crash: undefined };
	});
	return { ...base, ...result };
};

const bodyOf = ({ answer }: Recording): unknown =>
	answer.form === "json" ? answer.value : answer.form === "array" ? answer.items : {};

/** Words of an upstream that say more than its status. */
const reasonForStatus = (text: string): string | undefined =>
	/api[ _]key|model_not_found|quota|location|CONSUMER_INVALID/i.test(text)
		? "the upstream's code says more than its status: a bad key, an unknown model, a spent quota, a closed region"
		: undefined;

/** A refusal of Portico's own key must not look like one of the client's; overload has two numbers. */
const statusFor = (status: number): readonly number[] => {
	if (status === 401 || status === 403) return [502, 503];
	return status === 529 || status === 503 ? [503, 529] : status >= 500 ? [500, 502, 503, 504] : [status];
};

type Result = Pick<Trial, "differences" | "invalid" | "crash" | "evidence" | "thinking" | "citations">;

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

/** What the core tells a client when an answer cannot be decoded. */
const failed = (error: unknown, client: ProtocolName, want: Told | Raised): Result => {
	if (!isFault(error)) throw error;
	return {
		differences: differences(client, { raised: error.message, told: true }, failure(want)),
		invalid: [],
		crash: undefined,
	};
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
		const lost = [...there.lost, ...back.lost];
		const breaches = [
			...breach(`${client.name} request`, checks[nameOf(client)].request(there.body)),
			...breach(`${upstream.name} request`, checks[nameOf(upstream)].request(back.body)),
		];
		const own = breaches.flatMap((fault) => vendorParts(recording, back.body, fault) ?? []);
		const invalid = breaches.filter((fault) => !own.some(({ what }) => what === fault));
		const found = [...requestDifferences(before.neutral, back.neutral, nameOf(client), lost), ...own];
		const [one, other] = [sketch(before.neutral), sketch(back.neutral)] as Record<string, unknown>[];
		const changed = found.map(({ what }) => ({ what, before: one?.[what], after: other?.[what] }));
		const evidence = { recorded: recording.request, there: there.body, back: back.body, lost, changed };
		return { trial: { mode, differences: found, invalid, crash: undefined, evidence }, asked: there.neutral, back };
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
	let response: NeutralResponse;
	try {
		response = responseOf(pair, recording, request, back);
	} catch (error) {
		return failed(error, nameOf(pair.client), want);
	}
	// the core answers a failure with an error of the client's protocol
	const client = nameOf(pair.client);
	if (response.error)
		return {
			differences: differences(client, { raised: response.error.message, told: true }, failure(want)),
			invalid: [],
			crash: undefined,
		};
	let body: unknown;
	try {
		({ body } = pair.client.client.encodeResponse(response, request));
	} catch (error) {
		return failed(error, client, want);
	}
	const invalid = breach(`${client} answer`, pair.checks[client].response(body));
	const got = await readAnswer(client, body);
	const evidence = { recorded: recording.answer, neutral: response, body, got, want };
	return {
		differences: differences(client, got, want),
		invalid,
		crash: undefined,
		...kept(got, want),
		evidence,
	};
};

/** Thinking is compared by its letters: some protocols have parts where others have one text. */
const kept = (got: Told | Raised, recorded: Told | Raised): Pick<Trial, "thinking" | "citations"> => {
	const want = failure(recorded);
	const letters = (told: Told | Raised) =>
		isRaised(told) ? "" : (told.candidates[0]?.thinking ?? "").replaceAll(/\s/g, "");
	const cited = (told: Told | Raised) => (isRaised(told) ? [] : (told.candidates[0]?.cited ?? []));
	return {
		thinking: letters(want) === "" ? undefined : letters(got) === letters(want),
		citations: cited(want).length === 0 ? undefined : isDeepStrictEqual(cited(got), cited(want)),
	};
};

/** A failure that one client raises and another gives as an answer that failed; a call that cannot be read is one. */
export const failure = (told: Told | Raised): Told | Raised =>
	"candidates" in told && told.candidates.some(({ ended }) => ended === "failed" || ended === "malformed")
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
	let events: readonly NeutralEvent[];
	try {
		events = eventsFor(pair, recording, request, back);
	} catch (error) {
		return failed(error, client, want);
	}
	const text = encodeStream(pair.client, events, request);
	const breaches = new Set([
		...streamFaults(client, text).map((fault) => `${client} stream: ${fault.replaceAll(/\d+/g, "#")}`),
		...eventFaults(pair.checks[client], client, text),
	]);
	const custom = [...breaches].filter((fault) => fault.includes("/delta/tool_calls/#/type enum"));
	const invalid = [...breaches].filter((fault) => !custom.includes(fault));
	const unpublished = custom.map((what) => ({
		what,
		reason: "the API streams custom tools, its published schema of chunks has none",
	}));
	const got = failure(await readStream(client, text));
	const found = differences(client, got, failure(want)).map((one) =>
		one.what === "text" && contradicts(events, got) ? { ...one, reason: contradiction } : one,
	);
	const evidence = { recorded: recording.answer, events, text, got, want };
	return {
		differences: [...found, ...unpublished],
		invalid,
		crash: undefined,
		...kept(got, want),
		evidence,
	};
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
