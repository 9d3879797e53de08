/** The exchange with an upstream of another protocol: both directions go through the neutral form. */
import type { Denial } from "../../contract/fault.ts";
import type { Observation } from "../../contract/passthrough.ts";
import type { Protocol, ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import type { DecodeContext, UpstreamMessage } from "../../contract/upstream-side.ts";
import { estimateUsage } from "../../neutral/estimate.ts";
import { parseExactly } from "../../neutral/exact-json.ts";
import { explode } from "../../neutral/explode.ts";
import { familyOf } from "../../neutral/family.ts";
import { Folder } from "../../neutral/fold.ts";
import { asRecord, parseJson } from "../../neutral/json.ts";
import { Losses, wordLosses } from "../../neutral/losses.ts";
import type { Loss, ModelCapabilities } from "../../neutral/model.ts";
import { normalizeEvents } from "../../neutral/normalize-events.ts";
import { normalizeRequest } from "../../neutral/normalize-request.ts";
import { withObjectRoots, withPlainUnions } from "../../neutral/plain-unions.ts";
import type { NeutralRequest, Tool } from "../../neutral/request.ts";
import type { NeutralEvent, NeutralResponse } from "../../neutral/response.ts";
import { systemFirst } from "../../neutral/system-first.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import type { Exchange, ExplodedAnswer, StreamFold, StreamPass, WholeAnswer } from "../call/exchange.ts";
import type { GuardedEvents } from "../guards/guarded-events.ts";
import { notAnAnswer, notJson } from "./not-an-answer.ts";
import { StreamCounter } from "./stream-counter.ts";
import { streamText, TranslatedStream } from "./translated-stream.ts";

const utf8 = new TextDecoder();

/** What a stream that simply stops is told to the client as. */
export const unannouncedEnd: Denial = {
	kind: "upstream",
	code: "upstream_broke_off",
	message: "The upstream ended its stream before the answer was complete. Ask again.",
};

export interface TranslationOptions {
	readonly ask: ProtocolAsk;
	/** The request, decoded. */
	readonly prompt: NeutralRequest;
	readonly target: Target;
	/** The protocol to speak upstream. */
	readonly upstream: Protocol;
	/** The bound of the permits on output tokens. */
	readonly limit: number | undefined;
	/** Makes what looks at the answer, and is told what was seen of one that is all there; absent where no guard wants to. */
	readonly guardAnswer?: ((seen?: Observation) => GuardedEvents) | undefined;
}

const lowered = (request: NeutralRequest, limit: number | undefined): NeutralRequest =>
	limit === undefined || (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) <= limit
		? request
		: { ...request, maxOutputTokens: limit };

/** Tools without a search that whoever serves the model does not do. */
const withoutSearch = (tools: readonly Tool[], losses: Losses): readonly Tool[] =>
	tools.filter((tool) => {
		const searches = tool.type === "server" && tool.tool === "web_search";
		if (searches) losses.node(tool, "the upstream does not search the web");
		return !searches;
	});

/** The request without what the model refuses in whatever protocol it is said. */
const fitted = (request: NeutralRequest, capabilities: ModelCapabilities, losses: Losses): NeutralRequest => {
	const { midSystem, typedUnions, rootUnions, searches } = capabilities;
	if (midSystem !== false && typedUnions !== false && rootUnions !== false && searches !== false) return request;
	const messages = midSystem === false ? systemFirst(request.messages) : request.messages;
	const { tools: asked, toolChoice, ...rest } = request;
	let tools = asked ?? [];
	if (searches === false) tools = withoutSearch(tools, losses);
	if (rootUnions === false) tools = withObjectRoots(tools, losses);
	if (typedUnions === false) tools = withPlainUnions(tools);
	return { ...rest, messages, ...(tools.length > 0 && { tools, ...(toolChoice && { toolChoice }) }) };
};

export class Translation implements Exchange {
	readonly message: UpstreamMessage;
	readonly losses: readonly Loss[];
	readonly tiers: readonly string[];
	readonly emulated?: string;
	private readonly options: TranslationOptions;
	/** The request as it is sent. */
	private readonly request: NeutralRequest;
	private readonly context: DecodeContext;
	private readonly counts: boolean;

	constructor(options: TranslationOptions) {
		const { ask, prompt, target, upstream, limit } = options;
		const { model, capabilities } = target;
		// A summary for compaction is an answer like any other to whoever writes it.
		const operation = ask.call.operation === "count_tokens" ? "count_tokens" : "generate";
		const { request: sound, losses: repairs } = normalizeRequest(lowered(prompt, limit));
		const losses = new Losses();
		const request = fitted(sound, capabilities, losses);
		const family = familyOf(model);
		const encoded = upstream.upstream.encodeRequest(request, { model, family, capabilities, operation });
		this.options = options;
		this.request = request;
		this.context = { family, names: encoded.names, request };
		this.counts = operation === "count_tokens";
		this.losses = wordLosses(
			[...repairs, ...losses.list(), ...encoded.losses],
			request,
			upstream.name,
			ask.protocol.client.lossWords,
		);
		this.message = {
			path: upstream.upstream.path({ operation, model, stream: request.stream }),
			headers: { "content-type": "application/json", ...encoded.headers },
			body: JSON.stringify(encoded.body),
		};
		if (request.compacts || request.compacted) this.emulated = "compaction";
		this.tiers = upstream.facts.tiers(asRecord(encoded.body));
	}

	whole(bytes: Uint8Array): MaybeLater<WholeAnswer> {
		if (this.counts) return this.countWhole(bytes);
		const counter = new StreamCounter(this.options.ask.protocol.client.tellsFailure);
		const response = this.decodeWhole(bytes);
		if (response.error) return this.encodeWhole(response, counter);
		const events = normalized(response);
		const folded = fold(events, counter).response();
		const { guardAnswer } = this.options;
		return guardAnswer ? this.guarded(guardAnswer, events, counter) : this.encodeWhole(folded, counter);
	}

	wholeAsStream(bytes: Uint8Array): MaybeLater<ExplodedAnswer> {
		const counter = new StreamCounter(this.options.ask.protocol.client.tellsFailure);
		const response = this.decodeWhole(bytes);
		const failure = failed(response, counter);
		if (failure) return { text: "", seen: failure };
		const encoder = this.options.ask.protocol.client.streamEncoder(this.request);
		const write = (events: readonly NeutralEvent[]): ExplodedAnswer => {
			let text = "";
			for (const event of events) text += streamText(encoder.push(event));
			return { text, seen: counter.result(), answer: encoder.answer?.() };
		};
		const events = normalized(response);
		for (const event of events) counter.add(event);
		const guard = this.options.guardAnswer?.(counter.result());
		return guard ? guard.through(events).then(write) : write(events);
	}

	stream(): StreamPass {
		const { ask, upstream, target, guardAnswer } = this.options;
		return new TranslatedStream({
			decoder: upstream.upstream.streamDecoder(this.context),
			encoder: ask.protocol.client.streamEncoder(this.request),
			ask,
			guard: guardAnswer?.(),
			request: this.request,
			target,
		});
	}

	streamAsWhole(): StreamFold {
		const { upstream, guardAnswer } = this.options;
		const decoder = upstream.upstream.streamDecoder(this.context);
		const stage = normalizeEvents();
		const counter = new StreamCounter(this.options.ask.protocol.client.tellsFailure);
		const folder = new Folder();
		const take = (events: readonly NeutralEvent[]): void => {
			for (const event of events) fold(stage.push(event), counter, folder);
		};
		return {
			push: (events) => {
				for (const event of events) take(decoder.push(event));
			},
			end: (events) => {
				for (const event of events) take(decoder.push(event));
				take(decoder.end());
				const response = folder.response();
				if (!guardAnswer || response.error) return this.encodeWhole(response, counter);
				return this.guarded(guardAnswer, explode(response), counter);
			},
			seen: () => counter.result(),
		};
	}

	error(status: number, headers: Headers, text: string): Denial {
		return this.options.upstream.upstream.decodeError(status, headers, text);
	}

	/** What guards leave of an answer; `counter` has counted all of it. */
	private async guarded(
		guardAnswer: NonNullable<TranslationOptions["guardAnswer"]>,
		events: Iterable<NeutralEvent>,
		counter: StreamCounter,
	): Promise<WholeAnswer> {
		const passed = await guardAnswer(counter.result()).through(events);
		return this.encodeWhole(fold(passed, new StreamCounter()).response(), counter);
	}

	private decodeWhole(bytes: Uint8Array): NeutralResponse {
		const text = utf8.decode(bytes);
		const body = parseExactly(text);
		if (body === undefined) throw notJson(text);
		return this.options.upstream.upstream.decodeResponse(body, this.context);
	}

	private encodeWhole(response: NeutralResponse, counter: StreamCounter): WholeAnswer {
		const failure = failed(response, counter);
		if (failure) return { body: "", seen: failure };
		const usage = response.usage ?? estimateUsage(this.request, counter.result());
		const { client } = this.options.ask.protocol;
		const { body, headers, losses } = client.encodeResponse({ ...response, usage }, this.request);
		const more = { ...(headers && { headers }), ...(losses && { losses }) };
		const text: string | undefined = JSON.stringify(body);
		if (text === undefined) throw new TypeError("the client's protocol made no body of an answer");
		return { body: text, answer: body, seen: counter.result(), ...more };
	}

	/** The answer to the question how many tokens the request is, which is all that such a call has. */
	private countWhole(bytes: Uint8Array): WholeAnswer {
		const { ask, upstream } = this.options;
		const { client } = ask.protocol;
		const count = upstream.upstream.decodeTokenCount?.(parseJson(utf8.decode(bytes)));
		if (count === undefined || !client.encodeTokenCount) throw notAnAnswer("a count of tokens");
		const seen = { finished: true, pieces: 0, contentBytes: 0 };
		return { body: JSON.stringify(client.encodeTokenCount(count)), seen };
	}
}

/** A failure told within a 200 is a failure; what it cost all the same may be told with it, if not before it. */
const failed = ({ error: told, usage }: NeutralResponse, counter: StreamCounter): Observation | undefined => {
	const error = told ?? counter.error;
	const seen = counter.result();
	const { usageIsTotal = true } = seen;
	return error && { ...seen, finished: false, error, ...(usage && { usage, usageIsTotal }) };
};

/** Both codecs agree on one path: a whole answer is its own exploded stream, folded again after the same repairs. */
const normalized = (response: NeutralResponse): readonly NeutralEvent[] => {
	const stage = normalizeEvents();
	return explode(response).flatMap((event) => stage.push(event));
};

const fold = (events: readonly NeutralEvent[], counter: StreamCounter, folder = new Folder()): Folder => {
	for (const event of events) {
		counter.add(event);
		folder.push(event);
	}
	return folder;
};
