/** The beginning of a stream, held back while it says nothing yet: an early error can still be a status. */
import type { Clock } from "../../contract/clock.ts";
import { Fault } from "../../contract/fault.ts";
import type { StreamEvent } from "../../contract/upstream-side.ts";
import type { Frames } from "../../wire/frames.ts";
import { isPending } from "../../wire/pending.ts";
import { progressOf, type StreamPass } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { StreamMemory } from "./stream-memory.ts";
import type { StreamLimits } from "./stream-watch.ts";
import type { UpstreamBody } from "./upstream-body.ts";

interface OpeningOptions {
	readonly live: LiveCall;
	readonly source: UpstreamBody;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly frames: Frames;
	readonly pass: StreamPass;
	readonly memory: StreamMemory;
}

const none: readonly StreamEvent[] = [];

/** How long it is held back after its first event. */
const graceMs = 50;

/** Throws the failure that an answer told within itself before any of it was sent. */
const throwEarlyError = (pass: StreamPass): void => {
	const error = progressOf(pass).pieces === 0 ? pass.seen().error : undefined;
	if (error) throw new Fault(error);
};

/** What was read of a stream before its answer could begin. */
interface Opening {
	readonly head: (string | Uint8Array)[];
	/** The upstream's bytes have ended, and `head` holds all there is. */
	complete: boolean;
	/** A read that is still waiting. */
	pending: Promise<Uint8Array | undefined> | undefined;
}

/** Waits for a read as long as a client may be left without an answer. */
class Patience {
	private readonly clock: Clock;
	private cancel: () => void;
	private ended = false;
	private shortened = false;
	private wake: (() => void) | undefined;

	constructor(clock: Clock, milliseconds: number) {
		this.clock = clock;
		this.cancel = this.after(milliseconds);
	}

	/** The first event is there: from now on it lasts a moment. */
	shorten(): void {
		if (this.shortened) return;
		this.shortened = true;
		this.cancel();
		this.cancel = this.after(graceMs);
	}

	/** What is read, or that nothing came in time. */
	during<Read>(read: Promise<Read>): Promise<Read | "patience"> {
		if (this.ended) return Promise.resolve("patience");
		return new Promise((resolve, reject) => {
			this.wake = () => resolve("patience");
			read.then(resolve, reject);
		});
	}

	end(): void {
		this.cancel();
	}

	private after(milliseconds: number): () => void {
		return this.clock.after(milliseconds, () => {
			this.ended = true;
			this.wake?.();
		});
	}
}

/** Puts what is to be said into the opening. */
const put = (opening: Opening, piece: string | Uint8Array | undefined, pass: StreamPass): void => {
	if (piece !== undefined && piece !== "") opening.head.push(piece);
	throwEarlyError(pass);
};

const eventsOf = (chunk: Uint8Array | undefined, frames: Frames): readonly StreamEvent[] =>
	chunk === undefined ? frames.end() : frames.feed(chunk);

/** What a read brought, as the client is told it. */
const saidBy = (chunk: Uint8Array | undefined, events: readonly StreamEvent[], pass: StreamPass) =>
	chunk === undefined ? pass.end(events) : pass.push(events, chunk);

/** Something was said, or all is. */
const hasBegun = (pass: StreamPass): boolean => {
	const { pieces, finished } = progressOf(pass);
	return pieces > 0 || finished;
};

/**
 * Reads on until the answer has begun, has failed, or lets us wait: a moment after its first event, or as long as a
 * client may be left without a sign of life before it.
 */
export const readOpening = async (options: OpeningOptions): Promise<Opening> => {
	const { live, source, clock, limits, frames, pass, memory } = options;
	const opening: Opening = { head: [], complete: false, pending: undefined };
	const patience = new Patience(clock, Math.min(limits.keepAliveMs, limits.idleMs));
	let events = none;
	try {
		for (;;) {
			events = none;
			opening.pending ??= source.next();
			const chunk = await patience.during(opening.pending);
			if (chunk === "patience") return opening;
			opening.pending = undefined;
			// All of it waits here until the answer begins.
			memory.took(chunk?.length ?? 0, false);
			events = eventsOf(chunk, frames);
			const said = saidBy(chunk, events, pass);
			put(opening, isPending(said) ? await said : said, pass);
			opening.complete = chunk === undefined;
			if (opening.complete || hasBegun(pass)) return opening;
			if (events.length > 0) patience.shorten();
		}
	} catch (error) {
		live.attempts.saidWithin(events.at(-1)?.data ?? "");
		throw error;
	} finally {
		patience.end();
	}
};
