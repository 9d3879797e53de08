/** The exchange with an upstream that speaks the client's protocol: bytes untouched but for what must change. */
import type { Denial } from "../../contract/fault.ts";
import type { PassthroughChanges } from "../../contract/passthrough.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { asRecord, isRecord, parseJson } from "../../neutral/json.ts";
import type { Loss } from "../../neutral/model.ts";
import { isJsonLines, WholeLines } from "../../wire/json-lines.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import { WholeEvents } from "../../wire/whole-events.ts";
import type { Exchange, ExplodedAnswer, StreamFold, StreamPass, WholeAnswer } from "../call/exchange.ts";
import { notAnAnswer, notJson } from "./not-an-answer.ts";
import { PassedStream } from "./passed-stream.ts";

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
	private readonly ask: ProtocolAsk;
	private readonly target: Target;
	private readonly changes: PassthroughChanges;
	private readonly ways: Translating;

	/** `ways`: for answers that came as a stream unasked, or the reverse. */
	constructor(ask: ProtocolAsk, target: Target, limit: number | undefined, ways: Translating) {
		const { model, capabilities } = target;
		this.ask = ask;
		this.target = target;
		this.changes = limit === undefined ? { model, capabilities } : { model, capabilities, maxOutputTokens: limit };
		this.ways = ways;
		this.message = ask.protocol.passthrough.request(ask, this.changes);
		this.losses = this.message.losses ?? [];
		this.tiers = ask.protocol.facts.tiers(ask.body.value);
	}

	whole(bytes: Uint8Array): WholeAnswer {
		const { ask, target, changes } = this;
		const { passthrough } = ask.protocol;
		const text = utf8.decode(bytes);
		const body = parseJson(text);
		if (body === undefined) throw notJson(text);
		if (!isRecord(body)) throw notAnAnswer("an answer of its protocol");
		const seen = passthrough.observe(body);
		if (!seen.finished && !seen.error) throw notAnAnswer("an answer of its protocol");
		const altered = target.model !== ask.call.name || ask.continues !== undefined || ask.call.selective === true;
		if (!altered) return { body: bytes, seen, answer: seen.answer };
		const restored = passthrough.restore(text, ask, changes, body);
		if (seen.answer === undefined) return { body: restored, seen };
		return { body: restored, seen, answer: passthrough.observe(asRecord(parseJson(restored))).answer };
	}

	wholeAsStream(bytes: Uint8Array): MaybeLater<ExplodedAnswer> {
		return this.ways.translated().wholeAsStream(bytes);
	}

	streamAsWhole(): StreamFold {
		return this.ways.translated().streamAsWhole();
	}

	stream(_isEvents: boolean, type: string): StreamPass {
		return new PassedStream(
			this.ask,
			this.target,
			this.changes,
			isJsonLines(type) ? new WholeLines() : new WholeEvents(),
		);
	}

	error(status: number, headers: Headers, text: string): Denial {
		return this.ask.protocol.upstream.decodeError(status, headers, text);
	}
}
