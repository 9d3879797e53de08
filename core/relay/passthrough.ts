/** The exchange with an upstream that speaks the client's protocol: bytes untouched but for what must change. */
import { type Denial, Fault } from "../contract/fault.ts";
import type { ModelAsk, PassthroughChanges, StreamEvent, UpstreamMessage } from "../contract/protocol.ts";
import type { Target } from "../contract/router.ts";
import { isRefusedCredentials } from "../errors/upstream-failure.ts";
import { isRecord, parseJson } from "../neutral/json.ts";
import type { Loss } from "../neutral/model.ts";
import { WholeEvents } from "../wire/whole-events.ts";
import type { Exchange, ExplodedAnswer, MaybeLater, StreamFold, StreamPass, WholeAnswer } from "./exchange.ts";
import { notAnAnswer, unannouncedEnd } from "./translation.ts";
import { cleanWords, mayTellError } from "./upstream-words.ts";

const utf8 = new TextDecoder();

/** Makes the same exchange by way of the neutral form. */
export interface Translating {
	translated(): Exchange;
}

/** One attempt whose bytes pass. */
export class Passthrough implements Exchange {
	readonly message: UpstreamMessage;
	readonly losses: readonly Loss[];
	readonly tiers: readonly string[];
	private readonly ask: ModelAsk;
	private readonly target: Target;
	private readonly changes: PassthroughChanges;
	private readonly ways: Translating;

	/** `ways`: for answers that came as a stream unasked, or the reverse. */
	constructor(ask: ModelAsk, target: Target, limit: number | undefined, ways: Translating) {
		const { model, capabilities } = target;
		this.ask = ask;
		this.target = target;
		this.changes = { model, capabilities, ...(limit !== undefined && { maxOutputTokens: limit }) };
		this.ways = ways;
		this.message = ask.protocol.passthrough.request(ask, this.changes);
		this.losses = this.message.losses ?? [];
		this.tiers = ask.protocol.facts.tiers(ask.body.value);
	}

	whole(bytes: Uint8Array): WholeAnswer {
		const { ask, target, changes } = this;
		const { passthrough, conversations } = ask.protocol;
		const text = utf8.decode(bytes);
		const body = parseJson(text);
		if (!isRecord(body)) throw notAnAnswer("JSON");
		const seen = passthrough.observe(body);
		if (!seen.finished && !seen.error) throw notAnAnswer("an answer of its protocol");
		const answer = conversations?.save && body;
		const altered = target.model !== ask.call.name || ask.continues !== undefined || ask.call.selective === true;
		if (!altered) return { body: bytes, seen, answer };
		const restored = passthrough.restore(text, ask, changes, body);
		return { body: restored, seen, answer: answer && parseJson(restored) };
	}

	wholeAsStream(bytes: Uint8Array): MaybeLater<ExplodedAnswer> {
		return this.ways.translated().wholeAsStream(bytes);
	}

	streamAsWhole(): StreamFold {
		return this.ways.translated().streamAsWhole();
	}

	stream(): StreamPass {
		return createPass(this.ask, this.target, this.changes);
	}

	error(status: number, headers: Headers, text: string): Denial {
		return this.ask.protocol.upstream.decodeError(status, headers, text);
	}
}

/** The observer sees every event; the editor, when there is one, rewrites each; otherwise bytes go on as they came. */
const createPass = (ask: ModelAsk, target: Target, changes: PassthroughChanges): StreamPass => {
	const { client, passthrough } = ask.protocol;
	const observer = passthrough.observer(ask);
	const editor = passthrough.editor(ask, changes);
	const whole = new WholeEvents();
	const take = (events: readonly StreamEvent[]): string => {
		let text = "";
		for (const event of events) {
			observer.event(event);
			if (editor) text += editor.event(event);
		}
		return text;
	};
	/**
	 * An error told in mid-stream is passed on without the upstream's secrets; bytes that hold none stay as they are. One
	 * of Portico's own key or account is told in our words.
	 */
	const clean = <T extends string | Uint8Array>(piece: T, events: readonly StreamEvent[]): T | string => {
		const error = mayTellError(events) ? observer.result().error : undefined;
		if (error === undefined) return piece;
		if (isRefusedCredentials(error)) throw new Fault(error);
		const text = typeof piece === "string" ? piece : utf8.decode(piece);
		const words = cleanWords(text, target);
		return words === text ? piece : words;
	};
	return {
		push(events, chunk) {
			const text = take(events);
			if (editor) return clean(text, events) || undefined;
			const bytes = whole.take(chunk);
			return bytes && clean(bytes, events);
		},
		end(events) {
			const text = take(events);
			const { finished, error } = observer.result();
			if (!finished && error === undefined) throw new Fault(unannouncedEnd);
			return editor ? clean(text, events) + editor.end() : clean(whole.rest(), events);
		},
		seen: () => observer.result(),
		progress: () => observer.progress?.() ?? observer.result(),
		answer: () => observer.result().answer,
		cut: () => observer.cut(),
		fail: (denial) => observer.fail?.(denial) ?? client.renderStreamDenial(denial, ask),
	};
};
