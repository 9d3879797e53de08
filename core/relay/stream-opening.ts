/** The beginning of a stream, held back while it says nothing yet: an early error can still be a status. */
import type { Clock } from "../contract/clock.ts";
import { Fault } from "../contract/fault.ts";
import type { Frames } from "../wire/frames.ts";
import { isPending } from "../wire/pending.ts";
import { progressOf, type StreamPass } from "./exchange.ts";
import type { LiveCall } from "./live-call.ts";
import type { StreamMemory } from "./stream-memory.ts";
import type { StreamLimits } from "./stream-watch.ts";
import type { UpstreamBody } from "./upstream-body.ts";

export interface OpeningOptions {
	readonly live: LiveCall;
	readonly source: UpstreamBody;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly frames: Frames;
	readonly pass: StreamPass;
	readonly memory: StreamMemory;
}

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

/** Puts what one read brought into the opening; gives how many events it completed. */
const take = async (
	opening: Opening,
	chunk: Uint8Array | undefined,
	{ live, frames, pass }: OpeningOptions,
): Promise<number> => {
	const events = chunk === undefined ? frames.end() : frames.feed(chunk);
	try {
		const said = chunk === undefined ? pass.end(events) : pass.push(events, chunk);
		const piece = isPending(said) ? await said : said;
		if (piece !== undefined && piece !== "") opening.head.push(piece);
		opening.complete = chunk === undefined;
		throwEarlyError(pass);
	} catch (error) {
		live.attempts.saidWithin(events.at(-1)?.data ?? "");
		throw error;
	}
	return events.length;
};

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
	const { source, clock, limits, pass, memory } = options;
	const opening: Opening = { head: [], complete: false, pending: undefined };
	const patience = Promise.withResolvers<"patience">();
	let cancel = clock.after(Math.min(limits.keepAliveMs, limits.idleMs), () => patience.resolve("patience"));
	let begun = false;
	try {
		for (;;) {
			opening.pending ??= source.next();
			const next = await Promise.race([opening.pending, patience.promise]);
			if (next === "patience") return opening;
			opening.pending = undefined;
			// All of it waits here until the answer begins.
			memory.took(next?.length ?? 0, false);
			const events = await take(opening, next, options);
			if (opening.complete || hasBegun(pass)) return opening;
			if (begun || events === 0) continue;
			begun = true;
			cancel();
			cancel = clock.after(graceMs, () => patience.resolve("patience"));
		}
	} finally {
		cancel();
	}
};
