/** Two turns: what a client replays of an answer goes back to the model that gave it, or on to another. */
import { failureOf, isFault, type Protocol } from "#core";
import type { ProtocolName, Recording } from "../support/recordings.ts";
import { askOf } from "./ask.ts";
import type { Difference } from "./compare.ts";
import { nextRequest, sealedIn } from "./replay.ts";
import { carryRequest, decodeAnswer, decodeContext, plainRequest, recordedRequest } from "./translate.ts";
import type { Pair, Trial } from "./trial.ts";
import { vendorParts } from "./vendor-parts.ts";

type Result = Pick<Trial, "differences" | "invalid" | "crash" | "evidence">;

const nameOf = (protocol: Protocol): ProtocolName => protocol.name as ProtocolName;

const nothing: Result = { differences: [], invalid: [], crash: undefined };

/** One exchange of a whole answer: the client's next turn for the same upstream and for each of `others`. */
export const tryHistory = (pair: Pair, recording: Recording, others: readonly Protocol[]): readonly Trial[] => {
	const base = { name: recording.name, official: recording.official };
	const place = `${pair.client.name} ← ${pair.upstream.name}`;
	return [pair.upstream, ...others].map((to) => {
		const same = to === pair.upstream;
		const result = guarded(() => replayTo(pair, recording, to));
		return {
			...base,
			pair: same ? place : `${place} → ${to.name}`,
			mode: same ? "history" : "history elsewhere",
			...result,
		};
	});
};

const guarded = (trial: () => Result): Result => {
	try {
		return trial();
	} catch (error) {
		// some sources cut pictures without a word
		if (isFault(error) && error.message.includes("base64")) return nothing;
		return {
			differences: [],
			invalid: [],
			crash: error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : String(error),
		};
	}
};

/** Of a family of its own each, so that nothing sealed may go there. */
const otherModels: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "other-1",
	responses: "other-2",
	messages: "other-3",
	"generate-content": "other-4",
};

/** What was asked, as the client wrote it, and what the recorded answer says; undefined for one that is no answer. */
const answerOf = ({ client, upstream }: Pair, recording: Recording, answer: unknown) => {
	const before = recordedRequest(upstream, recording);
	const asked = before ? carryRequest(before.neutral, client) : plainRequest(client, false);
	const back = before ? carryRequest(asked.neutral, upstream) : undefined;
	try {
		const response = decodeAnswer(upstream, answer, decodeContext(asked.neutral, back?.encoded));
		const failed = response.error ?? response.candidates.some(({ finish }) => failureOf(finish));
		return failed ? undefined : { asked, response };
	} catch (error) {
		if (isFault(error)) return undefined;
		throw error;
	}
};

const replayTo = ({ client, upstream, checks }: Pair, recording: Recording, to: Protocol): Result => {
	// pictures that were cut are no pictures any more
	if (recording.answer.form !== "json" || recording.truncated) return nothing;
	const answered = answerOf({ client, upstream, checks }, recording, recording.answer.value);
	if (!answered) return nothing;
	const { asked, response } = answered;
	const { body } = client.client.encodeResponse(response, asked.neutral);
	const next = nextRequest(nameOf(client), asked.body, body);
	const neutral = client.client.decodeRequest(askOf(client, asked.path, next));
	const sent = carryRequest(neutral, to, to === upstream ? neutral.model : otherModels[nameOf(to)]);
	const text = JSON.stringify(sent.body);
	const sealed = sealedIn(nameOf(upstream), recording.answer.value as Record<string, unknown>);
	const there = sealed.filter((value) => text.includes(value)).length;
	const fault = checks[nameOf(to)].request(sent.body);
	const breach = fault === null ? undefined : `${to.name} request: ${fault.replaceAll(/\d+/g, "#")}`;
	const own = breach === undefined ? undefined : vendorParts(recording, sent.body, breach);
	const differences: Difference[] = own ? [own] : [];
	if (to === upstream && there < sealed.length) differences.push({ what: "a sealed value did not come back" });
	if (to !== upstream && there > 0) differences.push({ what: "a sealed value went to another maker" });
	return {
		differences,
		evidence: {
			recorded: recording.answer,
			body,
			next,
			sent: sent.body,
			lost: sealed.filter((value) => !text.includes(value)),
		},
		invalid: breach === undefined || own ? [] : [breach],
		crash: undefined,
	};
};
