/** The exchange with an upstream of another protocol: both directions go through the neutral form. */
import { type Denial, Fault } from "../contract/fault.ts";
import type { DecodeContext, ModelAsk, Observation, Protocol } from "../contract/protocol.ts";
import type { Target } from "../contract/router.ts";
import { estimateUsage } from "../neutral/estimate.ts";
import { parseExactly } from "../neutral/exact-json.ts";
import { explode } from "../neutral/explode.ts";
import { familyOf } from "../neutral/family.ts";
import { Folder } from "../neutral/fold.ts";
import { asRecord, parseJson } from "../neutral/json.ts";
import { wordLosses } from "../neutral/losses.ts";
import { normalizeEvents } from "../neutral/normalize-events.ts";
import { normalizeRequest } from "../neutral/normalize-request.ts";
import type { NeutralRequest } from "../neutral/request.ts";
import type { NeutralEvent, NeutralResponse } from "../neutral/response.ts";
import type { Exchange, ExplodedAnswer, MaybeLater, WholeAnswer } from "./exchange.ts";
import type { GuardedEvents } from "./guarded-events.ts";
import { StreamCounter } from "./stream-counter.ts";
import { TranslatedStream } from "./translated-stream.ts";

/** What a stream that simply stops is told to the client as. */
export const unannouncedEnd: Denial = {
	kind: "upstream",
	code: "upstream_broke_off",
	message: "The upstream ended its stream before the answer was complete. Ask again.",
};

/** The fault of an answer in no known form. */
export const notAnAnswer = (expected: string): Fault =>
	new Fault({
		kind: "upstream",
		message: `The upstream answered with something other than ${expected}. Ask again, or ask the operator to check its address.`,
	});

export interface TranslationOptions {
	readonly ask: ModelAsk;
	/** The request, decoded. */
	readonly prompt: NeutralRequest;
	readonly target: Target;
	/** The protocol to speak upstream. */
	readonly upstream: Protocol;
	/** The bound of the permits on output tokens. */
	readonly limit: number | undefined;
	/** Makes what looks at the answer; absent where no guard wants to. */
	readonly guardAnswer?: (() => GuardedEvents) | undefined;
}

const lowered = (request: NeutralRequest, limit: number | undefined): NeutralRequest =>
	limit === undefined || (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) <= limit
		? request
		: { ...request, maxOutputTokens: limit };

export const createTranslation = (options: TranslationOptions): Exchange => {
	const { ask, prompt, target, upstream, limit, guardAnswer } = options;
	const { client } = ask.protocol;
	// A summary for compaction is an answer like any other to whoever writes it.
	const operation = ask.call.operation === "count_tokens" ? "count_tokens" : "generate";
	const { request, losses: repairs } = normalizeRequest(lowered(prompt, limit));
	const family = familyOf(target.model);
	const encoded = upstream.upstream.encodeRequest(request, {
		model: target.model,
		family,
		capabilities: target.capabilities,
		operation,
	});
	const losses = wordLosses([...repairs, ...encoded.losses], request, upstream.name, client.lossWords);
	const context: DecodeContext = { family, names: encoded.names, request };

	const decodeWhole = (bytes: Uint8Array): NeutralResponse => {
		const body = parseExactly(new TextDecoder().decode(bytes));
		if (body === undefined) throw notAnAnswer("JSON");
		return upstream.upstream.decodeResponse(body, context);
	};

	/** A failure told within a 200 is a failure; what it cost all the same may be told with it. */
	const failed = ({ error, usage }: NeutralResponse, counter: StreamCounter): Observation | undefined =>
		error && { ...counter.result(), finished: false, error, ...(usage && { usage, usageIsTotal: true }) };

	const encodeWhole = (response: NeutralResponse, counter: StreamCounter): WholeAnswer => {
		const failure = failed(response, counter);
		if (failure) return { body: "", seen: failure };
		const usage = response.usage ?? estimateUsage(request, counter.result());
		const { body, headers, losses } = client.encodeResponse({ ...response, usage }, request);
		const more = { ...(headers && { headers }), ...(losses && { losses }) };
		return { body: JSON.stringify(body), answer: body, seen: counter.result(), ...more };
	};

	/** The answer to the question how many tokens the request is, which is all that such a call has. */
	const countWhole = (bytes: Uint8Array): WholeAnswer => {
		const count = upstream.upstream.decodeTokenCount?.(parseJson(new TextDecoder().decode(bytes)));
		if (count === undefined || !client.encodeTokenCount) throw notAnAnswer("a count of tokens");
		const seen = { finished: true, pieces: 0, contentBytes: 0 };
		return { body: JSON.stringify(client.encodeTokenCount(count)), seen };
	};

	/** Both codecs agree on one path: a whole answer is its own exploded stream, folded again after the same repairs. */
	const fold = (events: Iterable<NeutralEvent>, counter: StreamCounter, folder = new Folder()): Folder => {
		for (const event of events) {
			counter.add(event);
			folder.push(event);
		}
		return folder;
	};

	const normalized = (response: NeutralResponse): readonly NeutralEvent[] => {
		const stage = normalizeEvents();
		return explode(response).flatMap((event) => stage.push(event));
	};

	/** Hands on what the guards let pass: at once where there are none. */
	const guarded = <T>(events: readonly NeutralEvent[], next: (events: readonly NeutralEvent[]) => T): MaybeLater<T> =>
		guardAnswer ? guardAnswer().through(events).then(next) : next(events);

	return {
		message: {
			path: upstream.upstream.path({ operation, model: target.model, stream: request.stream }),
			headers: { "content-type": "application/json", ...encoded.headers },
			body: JSON.stringify(encoded.body),
		},
		losses,
		...((request.compacts || request.compacted) && { emulated: "compaction" }),
		tiers: upstream.facts.tiers(asRecord(encoded.body)),
		whole(bytes) {
			if (operation === "count_tokens") return countWhole(bytes);
			const counter = new StreamCounter();
			const response = decodeWhole(bytes);
			if (response.error) return encodeWhole(response, counter);
			return guarded(normalized(response), (events) => encodeWhole(fold(events, counter).response(), counter));
		},
		wholeAsStream(bytes) {
			const counter = new StreamCounter();
			const response = decodeWhole(bytes);
			const failure = failed(response, counter);
			if (failure) return { text: "", seen: failure };
			const encoder = client.streamEncoder(request);
			return guarded(normalized(response), (events): ExplodedAnswer => {
				let text = "";
				for (const event of events) {
					counter.add(event);
					text += encoder.push(event);
				}
				return { text, seen: counter.result(), answer: encoder.answer?.() };
			});
		},
		stream: () =>
			new TranslatedStream({
				decoder: upstream.upstream.streamDecoder(context),
				encoder: client.streamEncoder(request),
				guard: guardAnswer?.(),
				request,
				target,
			}),
		streamAsWhole() {
			const decoder = upstream.upstream.streamDecoder(context);
			const stage = normalizeEvents();
			const counter = new StreamCounter();
			const folder = new Folder();
			const take = (events: readonly NeutralEvent[]): void => {
				for (const event of events) fold(stage.push(event), counter, folder);
			};
			return {
				push: (events) => {
					for (const event of events) take(decoder.push(event));
				},
				end(events) {
					for (const event of events) take(decoder.push(event));
					take(decoder.end());
					const response = folder.response();
					if (!guardAnswer || response.error) return encodeWhole(response, counter);
					return guarded(explode(response), (seen) => encodeWhole(fold(seen, new StreamCounter()).response(), counter));
				},
				seen: () => counter.result(),
			};
		},
		error: (status, headers, text) => upstream.upstream.decodeError(status, headers, text),
	};
};
