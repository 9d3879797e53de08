/** The answers to the messages of one call, made one, and what they used. */
import type { EncodedResponse } from "../../contract/client-side.ts";
import type { Dialect, EndpointAsk } from "../../contract/endpoint.ts";
import type { Denial } from "../../contract/fault.ts";
import type { Observation } from "../../contract/passthrough.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { bytesPerToken, estimateTextTokens } from "../../neutral/estimate.ts";
import { parseJson } from "../../neutral/json.ts";
import { addUsage, type Usage } from "../../neutral/response.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import type { WholeAnswer } from "../call/exchange.ts";
import { boundUsage } from "../call/used.ts";
import { failureIn } from "./endpoint-failure.ts";
import { notJson } from "./not-an-answer.ts";
import { outlineOf } from "./outline.ts";

const utf8 = new TextDecoder();

const whole = (usage: Usage, contentBytes: number): Observation => ({
	usage,
	usageIsTotal: true,
	finished: true,
	pieces: 1,
	contentBytes,
});

const encoded = ({ body, headers }: EncodedResponse, seen: Observation): WholeAnswer => ({
	body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
	...(headers && { headers }),
	seen,
});

/** Of what is not the whole answer, no contents are told: its use is all that there is. */
const partOf = (usage: Usage | undefined, error: Denial | undefined): Observation => ({
	...(usage && { usage, usageIsTotal: true }),
	finished: false,
	pieces: 0,
	contentBytes: 0,
	...(error && { error }),
});

const lengthOf = (message: UpstreamMessage | undefined): number => Buffer.byteLength(message?.body ?? "");

/** What passes on as bytes is looked at for its use only: from here on not at its vectors. */
const long = 256 * 1024;

/** The JSON of an answer, or its bytes where it is none. What another dialect's says is read whatever it is called. */
const readAnswer = (bytes: Uint8Array, type: string, passes: boolean): unknown => {
	const isJson = type.includes("json");
	if (passes && !isJson) return bytes;
	const text = utf8.decode(passes && bytes.length > long ? outlineOf(bytes) : bytes);
	const body = parseJson(text);
	if (body === undefined && isJson) throw notJson(text);
	return body ?? bytes;
};

/** Several answers on their way to be one. */
export interface Gathering {
	take(bytes: Uint8Array, type: string): void;
	/** What the answers so far used, with the most of the one that is under way; and the failure among them. */
	seen(underWay: boolean): Observation;
	/** One of them was a failure: of what comes after it nothing is asked. */
	failed(): boolean;
	end(): MaybeLater<WholeAnswer>;
}

/** The tokens of what a call sent. */
const sentTokens = ({ call: { texts, otherTokens = 0 } }: EndpointAsk): Usage => {
	const total = texts.reduce((sum, text) => sum + estimateTextTokens(text), otherTokens);
	return { input: { total }, output: { total: 0 } };
};

/** An answer as it came: its bytes, and their media type. */
export interface Came {
	readonly bytes: Uint8Array;
	readonly type: string;
}

interface GatheringOptions {
	readonly ask: EndpointAsk;
	/** What the answers are in. */
	readonly dialect: Dialect;
	readonly messages: readonly UpstreamMessage[];
	/** Whether the answer goes on as it came. */
	readonly passes: boolean;
	/** The client's answer, of all that there are and of the last as it came. */
	answer(bodies: readonly unknown[], last: Came, usage: Usage): EncodedResponse;
}

export const createGathering = ({ ask, dialect, messages, passes, answer }: GatheringOptions): Gathering => {
	const bodies: unknown[] = [];
	let size = 0;
	let used: Usage | undefined;
	let last: Came = { bytes: new Uint8Array(0), type: "" };
	let failure: Denial | undefined;
	/** Of all that was sent: gone through once, for a call may be in thousands of messages. */
	let sent: Usage | undefined;
	let sentBytes: number | undefined;
	let answeredBytes = 0;
	const add = (usage: Usage): Usage => (used ? addUsage(used, usage) : usage);
	/** What the call used whose upstream does not say: the tokens of what it sent, and of the answer as many as it can have. */
	const estimated = (bytes: number): Usage => {
		sent ??= dialect.estimate?.(ask) ?? sentTokens(ask);
		const total = Math.min(ask.call.bound.outputTokens, Math.ceil(bytes / bytesPerToken));
		return { ...sent, estimated: true, ...(!dialect.estimate && { output: { total } }) };
	};
	/** Of what all messages use, the part of the one whose turn it is. Whole numbers come out whole, and over all messages as they are. */
	const share = (usage: Usage): Usage => {
		if (messages.length < 2) return usage;
		sentBytes ??= messages.reduce((sum, one) => sum + lengthOf(one), 0);
		const length = lengthOf(messages[bodies.length]);
		const [before, after] = [answeredBytes / sentBytes, (answeredBytes + length) / sentBytes];
		const of = (amount: number): number =>
			Number.isInteger(amount) ? Math.round(amount * after) - Math.round(amount * before) : amount * (after - before);
		return {
			...usage,
			input: { total: Math.ceil((usage.input.total * length) / sentBytes) },
			// What it is estimated without the dialect is of the one message already.
			...(dialect.estimate && { output: { total: of(usage.output.total) } }),
			...(usage.units && {
				units: Object.fromEntries(Object.entries(usage.units).map(([name, amount]) => [name, of(amount)])),
			}),
		};
	};
	/** A token stands for one byte at least. */
	const most = (): Usage => {
		const usage = boundUsage(ask.call.bound);
		return { ...usage, input: { total: Math.min(usage.input.total, lengthOf(messages[bodies.length])) } };
	};
	return {
		take(bytes, type) {
			const body = readAnswer(bytes, type, passes);
			failure = failureIn(body);
			if (failure) return;
			const told = dialect.observe(body instanceof Uint8Array ? undefined : body, ask, bytes.length);
			used = add(told ?? share(estimated(bytes.length)));
			if (messages.length > 1) answeredBytes += lengthOf(messages[bodies.length]);
			bodies.push(body);
			size += bytes.length;
			last = { bytes, type };
		},
		seen: (underWay) => partOf(underWay ? add(most()) : used, failure),
		failed: () => failure !== undefined,
		end() {
			if (failure || !used) return { body: "", seen: partOf(used, failure) };
			return encoded(answer(bodies, last, used), whole(used, size));
		},
	};
};
