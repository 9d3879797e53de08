/** A stream of an upstream of another protocol, on its way to the client by the neutral form. */
import type { StreamEncoder } from "../../contract/client-side.ts";
import type { Denial } from "../../contract/fault.ts";
import type { Observation, Progress } from "../../contract/passthrough.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import type { StreamDecoder, StreamEvent } from "../../contract/upstream-side.ts";
import { estimateUsage } from "../../neutral/estimate.ts";
import { normalizeEvents } from "../../neutral/normalize-events.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import type { NeutralEvent } from "../../neutral/response.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import type { StreamPass } from "../call/exchange.ts";
import { redacted } from "../call/upstream-words.ts";
import type { GuardedEvents } from "../guards/guarded-events.ts";
import { StreamCounter } from "./stream-counter.ts";

interface TranslatedStreamOptions {
	/** The upstream's protocol, and the client's. */
	readonly decoder: StreamDecoder;
	readonly encoder: StreamEncoder;
	readonly ask: ProtocolAsk;
	/** What looks at the answer; absent where no guard wants to. */
	readonly guard: GuardedEvents | undefined;
	readonly request: NeutralRequest;
	readonly target: Target;
}

const noText = (): never => {
	throw new TypeError("the encoder of the client's stream made something else than text");
};

/** What an encoder makes of an event. Throws for what is no text. Without a body in braces: every event comes by. */
export const streamText = (made: string): string => (typeof made === "string" ? made : noText());

type Close = Extract<NeutralEvent, { type: "close" }>;

const withoutFinal = ({ type, block }: Close): Close => ({ type, block });

export class TranslatedStream implements StreamPass {
	private readonly options: TranslatedStreamOptions;
	private readonly stage = normalizeEvents();
	private readonly counter: StreamCounter;
	/** Whether the encoder has taken the end, where no guard holds it back. */
	private ended = false;
	/** What guards have not looked at yet. */
	private unseen: NeutralEvent[] = [];

	constructor(options: TranslatedStreamOptions) {
		this.options = options;
		this.counter = new StreamCounter(options.ask.protocol.client.tellsFailure);
	}

	push(events: readonly StreamEvent[]): MaybeLater<string | undefined> {
		return events.length === 0 ? undefined : this.guarded(this.through(events)) || undefined;
	}

	end(events: readonly StreamEvent[]): MaybeLater<string> {
		let text = this.through(events);
		for (const event of this.options.decoder.end()) text += this.write(event);
		// A decoder that tells of no end has seen none.
		if (!this.isOver()) text += this.write({ type: "end", clean: false });
		return this.guarded(text);
	}

	seen(): Observation {
		return this.counter.result();
	}

	progress(): Progress {
		return this.counter;
	}

	answer(): unknown {
		return this.options.encoder.answer?.();
	}

	cut(): string {
		this.unseen = [];
		const finished = this.write({ type: "finish", candidate: 0, finish: { reason: "length" } });
		return this.endNow(finished + this.write({ type: "end", clean: true }));
	}

	fail(denial: Denial): string {
		try {
			return this.failed(denial);
		} catch {
			// It may be the encoder that failed, and fails again.
			const { ask, target } = this.options;
			return ask.protocol.client.renderStreamDenial(redacted(denial, target), ask);
		}
	}

	private failed(denial: Denial): string {
		const { guard, target } = this.options;
		this.unseen = [];
		// Where the end was held by guards, or the encoder failed at it, the stage has nothing more to say, but the client was not told.
		if (guard || (this.isOver() && !this.ended))
			return this.encode([
				{ type: "error", error: redacted(denial, target) },
				{ type: "end", clean: false },
			]);
		return this.endNow(this.write({ type: "error", error: denial }) + this.write({ type: "end", clean: false }));
	}

	private through(events: readonly StreamEvent[]): string {
		let text = "";
		for (const event of events) for (const neutral of this.options.decoder.push(event)) text += this.write(neutral);
		return text;
	}

	private write(given: NeutralEvent): string {
		const { encoder, guard, target } = this.options;
		const event = given.type === "error" ? { ...given, error: redacted(given.error, target) } : given;
		let text = event.type === "end" && event.clean && !this.counter.hasUsage ? this.write(this.estimated()) : "";
		for (const next of this.stage.push(event)) {
			this.counter.add(next);
			if (guard) this.unseen.push(next);
			else text += streamText(encoder.push(next));
			this.ended ||= next.type === "end";
		}
		return text;
	}

	private isOver(): boolean {
		return this.counter.finished || this.counter.error !== undefined;
	}

	/** Clients of most protocols cannot do without usage; what the upstream did not count is estimated, and marked so. */
	private estimated(): NeutralEvent {
		return { type: "usage", usage: estimateUsage(this.options.request, this.counter.result()) };
	}

	private encode(events: readonly NeutralEvent[]): string {
		const { encoder } = this.options;
		let text = "";
		for (const event of events) text += streamText(encoder.push(event));
		return text;
	}

	/** What the guards let pass of what was written since. */
	private guarded(text: string): MaybeLater<string> {
		const { guard } = this.options;
		if (!guard) return text;
		const events = this.unseen;
		this.unseen = [];
		return guard.through(events).then((passed) => this.encode(passed));
	}

	/** An end that does not wait for guards: what they have not seen does not go out. */
	private endNow(text: string): string {
		const events = this.unseen;
		this.unseen = [];
		return text + this.encode(events.map((event) => (event.type === "close" ? withoutFinal(event) : event)));
	}
}
