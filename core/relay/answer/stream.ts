/** Carries an open stream to its client: read on demand, watched for silence, ended exactly once. */
import type { Clock } from "../../contract/clock.ts";
import { type Denial, Fault } from "../../contract/fault.ts";
import type { Ending } from "../../contract/outcome.ts";
import { clientGone, silent, stalled, tooLong } from "../../errors/no-answer.ts";
import type { Frames } from "../../wire/frames.ts";
import { isPending } from "../../wire/pending.ts";
import type { OpenStreamBody, StreamBody, StreamBodyEvents } from "../../wire/stream-body.ts";
import type { OpenStream } from "../call/call-parts.ts";
import { progressOf, type StreamPass } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import { isTotal } from "../call/used.ts";
import { endingOf, whyUnreadable } from "../call/why-ended.ts";
import { KeptAnswer, keeps } from "./kept-answer.ts";
import type { StreamMemory } from "./stream-memory.ts";
import { type StreamAlarms, type StreamLimits, StreamWatch } from "./stream-watch.ts";
import { Unread } from "./unread.ts";
import type { UpstreamBody } from "./upstream-body.ts";

export interface StreamParts {
	readonly live: LiveCall;
	readonly source: UpstreamBody;
	readonly frames: Frames;
	readonly memory: StreamMemory;
	readonly pass: StreamPass;
	/** What was read before the answer could begin, and has not been written yet. */
	readonly head: (string | Uint8Array)[];
	/** The bytes had already ended when the head was read, and the head holds all there is. */
	readonly complete: boolean;
	readonly keepAlive: string | undefined;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly openStreamBody: OpenStreamBody;
}

/** For how long the count of an answer is waited for whose end the client has seen. */
const countMs = 5_000;

/** The stream of one call. Reads upstream only when the client can take more, so a slow client slows the upstream. */
export class CallStream implements OpenStream, StreamAlarms, StreamBodyEvents {
	readonly unread: Unread;
	private readonly parts: StreamParts;
	private readonly streamBody: StreamBody;
	private readonly watch: StreamWatch;
	private readonly kept: KeptAnswer | undefined;
	private reading = false;
	/** How the call ends, once the client has gone and the stream is read on without it. */
	private leftAs: Ending | undefined;
	private cancelReadingOn: (() => void) | undefined;

	constructor(parts: StreamParts) {
		this.parts = parts;
		const { clock, limits, live, pass } = parts;
		this.watch = new StreamWatch(clock, limits, live.routed.startedAt, this);
		this.unread = new Unread(clock);
		this.kept = keeps(live) ? new KeptAnswer(pass, live) : undefined;
		this.streamBody = parts.openStreamBody(this);
	}

	get body(): ReadableStream<Uint8Array> {
		return this.streamBody.body;
	}

	/**
	 * The client is gone. The upstream's work ends at once, unless the count that comes last is wanted. A client that has
	 * seen the end and does not wait for the connection to close has left nothing.
	 */
	left(): void {
		const { pass, live, clock, head } = this.parts;
		if (live.isOver || this.leftAs !== undefined) return;
		const seen = pass.seen();
		const sawTheEnd = seen.finished && !seen.error && head.length === 0;
		this.leftAs = sawTheEnd ? "completed" : "client_left";
		const readOnMs = sawTheEnd ? countMs : live.permits.readOnMs - live.leftSince();
		if (isTotal(seen) || readOnMs <= 0) this.giveUp();
		else {
			this.cancelReadingOn = clock.after(readOnMs, () => this.giveUp());
			// What waits for the client would wait for ever; what waits for the upstream goes on by itself.
			if (this.unread.waits) void this.run();
		}
	}

	private giveUp(): void {
		this.parts.source.stop(clientGone);
		this.over("client_left");
	}

	/** Portico must stop: the client is told in its own protocol. */
	shutDown(denial: Denial): void {
		this.fail(denial, "shut_down");
	}

	/** The client takes the first bytes. */
	begin(): void {
		if (this.leftAs === undefined) void this.run();
	}

	/** All of the stream; whatever goes wrong in it is told to the client. */
	private async run(): Promise<void> {
		const { head } = this.parts;
		this.unread.end();
		try {
			for (let early = head.shift(); early !== undefined; early = head.shift()) {
				const keeping = this.kept?.keepFinished();
				if (keeping) await keeping;
				const full = this.write(early);
				if (full && !(await this.clientTakes(full))) return;
			}
			const tail = this.parts.complete ? "" : await this.handOn();
			if (tail === undefined) return;
			const { error } = this.parts.pass.seen();
			if (!error) await this.kept?.keep();
			this.finish(tail, error);
		} catch (error) {
			this.fail(whyUnreadable(this.parts.live, error), endingOf(this.parts.live));
		}
	}

	/**
	 * Reads and writes, each in its turn, until the upstream has said all. Gives what is still to be written; undefined
	 * where the stream is over already, or another reads on because the client left.
	 */
	private async handOn(): Promise<string | undefined> {
		const { source, frames, pass, live, clock, memory } = this.parts;
		while (!live.isOver) {
			this.reading = true;
			const askedAt = clock.monotonic();
			const chunk = await source.next();
			this.reading = false;
			const now = clock.monotonic();
			this.watch.readAt = now;
			this.unread.came(now - askedAt);
			if (live.isOver) return undefined;
			if (chunk === undefined) return await pass.end(frames.end());
			const events = frames.feed(chunk);
			memory.took(chunk.length, events.length > 0);
			const said = pass.push(events, chunk);
			const piece = isPending(said) ? await said : said;
			const keeping = this.kept?.keepFinished();
			if (keeping) await keeping;
			const full = this.write(piece);
			if (live.permits.watched && this.atBound()) this.cut();
			else if (full && !(await this.clientTakes(full))) return undefined;
		}
		return undefined;
	}

	/** Waits until the client has room; false when it left instead, or there was no room to wait in. */
	private async clientTakes(full: Promise<unknown>): Promise<boolean> {
		this.unread.begin();
		const noRoom = this.parts.memory.clientWaits();
		if (noRoom) {
			// Words would wait too.
			this.streamBody.breakOff(noRoom);
			this.over("failed", noRoom.denial);
			return false;
		}
		await full;
		if (this.leftAs !== undefined) return false;
		this.unread.end();
		this.parts.memory.clientTakes();
		return true;
	}

	private atBound(): boolean {
		const { live, pass } = this.parts;
		const { pieces, contentBytes } = progressOf(pass);
		return live.permits.progress(pieces, contentBytes) === "cut";
	}

	/** A promise when the client takes no more for now. */
	private write(piece: string | Uint8Array | undefined): Promise<unknown> | undefined {
		const { live, pass } = this.parts;
		if (piece === undefined || live.isOver || this.leftAs !== undefined) return undefined;
		if (live.firstContentMs === undefined && progressOf(pass).pieces > 0) live.firstContent();
		this.watch.wroteAt = this.watch.readAt;
		return this.streamBody.write(piece);
	}

	private finish(tail: string, error: Denial | undefined): void {
		if (this.parts.live.isOver) return;
		if (tail !== "") void this.write(tail);
		this.over(error ? "upstream_failed" : "completed", error);
		this.close();
	}

	private cut(): void {
		this.parts.source.stop({ kind: "quota_exhausted", message: "The bound of the quota was reached." });
		void this.write(this.parts.pass.cut());
		this.over("cut");
		this.close();
	}

	private fail(denial: Denial, ending: Ending): void {
		const { live, pass, source } = this.parts;
		if (live.isOver) return;
		source.stop(denial);
		try {
			if (this.leftAs === undefined) void this.streamBody.write(pass.fail(denial));
			this.close();
		} catch {
			// The client is gone already, or its answer has no words for a failure.
			this.streamBody.breakOff(new Fault(denial));
		}
		this.over(ending, denial);
	}

	private over(ending: Ending, denial?: Denial): void {
		this.watch.end();
		this.cancelReadingOn?.();
		this.parts.live.end(this.leftAs ?? ending, 200, denial);
	}

	private close(): void {
		if (this.leftAs === undefined) this.streamBody.close();
	}

	/** It has run for as long as a stream may. */
	tooLong(): void {
		this.fail(tooLong, "timed_out");
	}

	/** A sign of life for the client, where its protocol has one. */
	quiet(): void {
		const { keepAlive } = this.parts;
		if (keepAlive === undefined || this.leftAs !== undefined) return;
		this.watch.wroteAt = this.parts.clock.monotonic();
		void this.streamBody.write(keepAlive);
	}

	/** The upstream's silence, or the client's: when nothing was asked of us, it holds the connection and does not read. */
	silent(): void {
		if (this.reading) this.fail(silent, "timed_out");
		else {
			this.streamBody.breakOff(new Fault(stalled));
			this.left();
		}
	}
}
