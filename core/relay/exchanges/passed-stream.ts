/** A stream of an upstream that speaks the client's protocol, on its way to the client: bytes as they came but for what must change. */
import { type Denial, Fault } from "../../contract/fault.ts";
import type {
	Observation,
	PassthroughChanges,
	Progress,
	StreamEditor,
	StreamObserver,
} from "../../contract/passthrough.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import type { StreamEvent } from "../../contract/upstream-side.ts";
import { isRefusedCredentials } from "../../errors/upstream-failure.ts";
import type { WholeLines } from "../../wire/json-lines.ts";
import type { WholeEvents } from "../../wire/whole-events.ts";
import type { StreamPass } from "../call/exchange.ts";
import { cleanWords, mayTellError, redacted } from "../call/upstream-words.ts";
import { unannouncedEnd } from "./translation.ts";

const utf8 = new TextDecoder();

/** The observer sees every event; the editor, when there is one, rewrites each; otherwise bytes go on as they came. */
export class PassedStream implements StreamPass {
	private readonly ask: ProtocolAsk;
	private readonly target: Target;
	private readonly observer: StreamObserver;
	private readonly editor: StreamEditor | undefined;
	/** Lets whole events through alone. */
	private readonly whole: WholeEvents | WholeLines;
	/** Whether the upstream told its error as the protocol tells one. */
	private told = false;

	constructor(ask: ProtocolAsk, target: Target, changes: PassthroughChanges, whole: WholeEvents | WholeLines) {
		const { passthrough } = ask.protocol;
		this.ask = ask;
		this.target = target;
		this.whole = whole;
		this.observer = passthrough.observer(ask);
		this.editor = passthrough.editor(ask, changes);
	}

	push(events: readonly StreamEvent[], chunk: Uint8Array): string | Uint8Array | undefined {
		const text = this.take(events);
		if (this.editor) return this.clean(text, events) || undefined;
		const bytes = this.whole.take(chunk);
		return bytes && this.clean(bytes, events);
	}

	end(events: readonly StreamEvent[]): string {
		const text = this.take(events);
		const { finished } = this.progress();
		const error = finished ? undefined : this.observer.result().error;
		if (!finished && error === undefined) throw new Fault(unannouncedEnd);
		const rest = this.editor ? this.clean(text, events) + this.editor.end() : this.clean(this.whole.rest(), events);
		// What only its vendor's clients take for an error is told once more, in the words of the protocol.
		return error && !this.told ? rest + this.fail(redacted(error, this.target)) : rest;
	}

	seen(): Observation {
		return this.observer.result();
	}

	progress(): Progress {
		return this.observer.progress?.() ?? this.observer.result();
	}

	answer(): unknown {
		return this.observer.result().answer;
	}

	cut(): string {
		return this.observer.cut();
	}

	fail(denial: Denial): string {
		return this.observer.fail?.(denial) ?? this.ask.protocol.client.renderStreamDenial(denial, this.ask);
	}

	private take(events: readonly StreamEvent[]): string {
		const { observer, editor } = this;
		let text = "";
		for (const event of events) {
			observer.event(event);
			if (editor) text += editor.event(event);
		}
		return text;
	}

	/**
	 * An error told in mid-stream is passed on without the upstream's secrets; bytes that hold none stay as they are. One
	 * of Portico's own key or account is told in our words.
	 */
	private clean<T extends string | Uint8Array>(piece: T, events: readonly StreamEvent[]): T | string {
		const error = mayTellError(events) ? this.observer.result().error : undefined;
		if (error === undefined) return piece;
		this.told = true;
		if (isRefusedCredentials(error)) throw new Fault(error);
		const text = typeof piece === "string" ? piece : utf8.decode(piece);
		const words = cleanWords(text, this.target);
		return words === text ? piece : words;
	}
}
