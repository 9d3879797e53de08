/** One attempt's two directions, whether the bytes pass through or are translated. */
import type { Denial } from "../../contract/fault.ts";
import type { Observation, Progress } from "../../contract/passthrough.ts";
import type { StreamEvent, UpstreamMessage } from "../../contract/upstream-side.ts";
import type { Loss } from "../../neutral/model.ts";
import type { MaybeLater } from "../../wire/pending.ts";

/** An answer that is not a stream, ready for the client unless what was seen of it is an error. */
export interface WholeAnswer {
	readonly body: string | Uint8Array;
	readonly headers?: Readonly<Record<string, string>>;
	readonly seen: Observation;
	/** What of the answer the client cannot be told in its protocol. */
	readonly losses?: readonly Loss[];
	/** What is kept of the answer as the client has it, for a protocol that keeps conversations. */
	readonly answer?: unknown;
}

/** A whole answer as the stream that was asked for. */
export interface ExplodedAnswer {
	readonly text: string;
	readonly seen: Observation;
	readonly answer?: unknown;
}

/** A stream on its way to the client. */
export interface StreamPass {
	/** What to send for this chunk and the events it completed: whole events only. Undefined for nothing yet. */
	push(events: readonly StreamEvent[], chunk: Uint8Array): MaybeLater<string | Uint8Array | undefined>;
	/** The upstream's bytes ended: what is still to be sent. Throws `Fault` when the end was not announced. */
	end(events: readonly StreamEvent[]): MaybeLater<string>;
	seen(): Observation;
	/** These fields of `seen` alone, where `seen` costs more than a look at a few fields. */
	progress?(): Progress;
	/** What is kept of the answer as the client has it, once it has ended, for a protocol that keeps conversations. */
	answer(): unknown;
	/** What ends the stream at a quota's bound, as the protocol itself would. */
	cut(): string;
	/** What tells the client that the stream cannot go on. */
	fail(denial: Denial): string;
}

/** How far a stream has come. */
export const progressOf = (pass: StreamPass): Progress => pass.progress?.() ?? pass.seen();

/** A stream that is gathered into one answer. */
export interface StreamFold {
	push(events: readonly StreamEvent[]): void;
	end(events: readonly StreamEvent[]): MaybeLater<WholeAnswer>;
	seen(): Observation;
}

export interface Exchange {
	readonly message: UpstreamMessage;
	readonly losses: readonly Loss[];
	/** What the message says that changes the price of its tokens. */
	readonly tiers: readonly string[];
	/** What Portico does here because the upstream has no such thing. */
	readonly emulated?: string;
	/** Turns a whole answer, JSON unless `type` says otherwise. Throws `Fault` (`upstream`) when it cannot be one. */
	whole(bytes: Uint8Array, type?: string): MaybeLater<WholeAnswer>;
	/** Turns a whole JSON answer into the stream that was asked for. */
	wholeAsStream(bytes: Uint8Array): MaybeLater<ExplodedAnswer>;
	/** `isEvents`: false for bytes that are no events (sound, of the media type `type`); only endpoints have such. */
	stream(isEvents: boolean, type: string): StreamPass;
	/** False for an endpoint whose upstream speaks another dialect than the client: no answer of it goes on as it came. */
	readonly passes?: boolean;
	/** The media type in which a stream of events goes on, where it does not go on as one. */
	readonly streamsAs?: string;
	/** Turns a stream into the whole answer that was asked for. */
	streamAsWhole(): StreamFold;
	/** What an answer that is not 2xx means. */
	error(status: number, headers: Headers, text: string): Denial;
}
