/** An upstream's answer as it is read: chunk by chunk, and stoppable from outside while a read is waiting. */
import type { Clock } from "../../contract/clock.ts";
import { type Denial, Fault, isFault } from "../../contract/fault.ts";
import { join } from "../../wire/body.ts";
import { streamWork } from "./event-loop-share.ts";

const broken = (cause: unknown): Fault =>
	new Fault(
		{
			kind: "upstream",
			code: "upstream_broke_off",
			message: "The upstream broke off its answer before the end. Ask again.",
		},
		cause,
	);

/** The longest piece that `next` gives. */
const pieceBytes = 64 * 1024;

interface Read {
	readonly value?: Uint8Array | undefined;
}

/** Told of bytes of a whole answer before they are there; throws `Fault` when there is no room for them. */
interface Holder {
	hold(bytes: number): void;
}

export class UpstreamBody {
	private readonly response: Response;
	private reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel"> | undefined;
	private readonly abort: AbortController;
	private stopped: Denial | undefined;
	private pending: Promise<Uint8Array | undefined> | undefined;
	private readonly holder: Holder;
	/** The rest of a chunk that was longer than a piece. */
	private unread: Uint8Array | undefined;
	/** How many have come. */
	chunks = 0;
	private taken: ((read: Read) => Uint8Array | undefined | Promise<Uint8Array>) | undefined;
	private failed: ((error: unknown) => never) | undefined;
	private cancelWatch: (() => void) | undefined;

	constructor(response: Response, abort: AbortController, holder: Holder) {
		this.response = response;
		this.abort = abort;
		this.holder = holder;
	}

	/** The next chunk; undefined at the end. Throws `Fault`: what `stop` was given, or `upstream` when the bytes broke off. */
	next(): Promise<Uint8Array | undefined> {
		const { pending } = this;
		this.pending = undefined;
		if (pending) return pending;
		if (this.unread) return this.rested(this.unread);
		// Read as a stream only when it is wanted as one: a whole answer is cheaper without.
		this.reader ??= this.response.body?.getReader();
		// Made once, not for every chunk.
		this.taken ??= (read) => this.take(read);
		this.failed ??= (error) => this.fail(error);
		return this.reader?.read().then(this.taken, this.failed) ?? Promise.resolve(undefined);
	}

	private take({ value }: Read): Uint8Array | undefined | Promise<Uint8Array> {
		if (this.stopped) throw new Fault(this.stopped);
		if (value === undefined) return undefined;
		this.chunks++;
		return this.pieceOf(value);
	}

	private fail(error: unknown): never {
		if (this.stopped) throw new Fault(this.stopped);
		throw isFault(error) ? error : broken(error);
	}

	/** What is worked through in one go is bounded, however much came at once. */
	private pieceOf(value: Uint8Array): Uint8Array | Promise<Uint8Array> {
		this.unread = value.length > pieceBytes ? value.subarray(pieceBytes) : undefined;
		const piece = this.unread ? value.subarray(0, pieceBytes) : value;
		const room = streamWork.take(piece.length);
		return room ? this.inTurn(piece, room) : piece;
	}

	private async inTurn(piece: Uint8Array, room: Promise<void>): Promise<Uint8Array> {
		await room;
		if (this.stopped) throw new Fault(this.stopped);
		return piece;
	}

	/** A rejection rather than a throw when the source was stopped. */
	private async rested(unread: Uint8Array): Promise<Uint8Array> {
		if (this.stopped) throw new Fault(this.stopped);
		this.chunks++;
		return await this.pieceOf(unread);
	}

	/** The same source, giving first what a `next` that was left waiting will bring. */
	resume(pending: Promise<Uint8Array | undefined>): this {
		// Nobody may be reading when it fails; whoever reads next still gets the failure.
		pending.catch(() => undefined);
		this.pending = pending;
		return this;
	}

	/** The whole answer as one piece of so many bytes at most; instead of `next`, not after it. Throws `Fault` as `next` does. */
	async rest(limit: number): Promise<Uint8Array> {
		const { headers } = this.response;
		// A length that was told is kept to by the runtime, unless the bytes are still packed; one read is the cheapest.
		const told = headers.has("content-encoding") ? Number.NaN : Number(headers.get("content-length") ?? Number.NaN);
		if (told > limit) throw this.tooLarge();
		if (Number.isNaN(told)) return await this.gather(limit);
		this.holdOrStop(told);
		try {
			const whole = await this.response.bytes();
			if (this.stopped) throw new Fault(this.stopped);
			return whole;
		} catch (error) {
			if (this.stopped) throw new Fault(this.stopped);
			throw broken(error);
		}
	}

	private async gather(limit: number): Promise<Uint8Array> {
		const chunks: Uint8Array[] = [];
		let size = 0;
		for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) {
			size += chunk.length;
			if (size > limit) throw this.tooLarge();
			this.holdOrStop(chunk.length);
			chunks.push(chunk);
		}
		return join(chunks, size);
	}

	/** Counts bytes that are about to be held. Without room for them the upstream's work ends, and a `Fault` is thrown. */
	holdOrStop(bytes: number): void {
		try {
			this.holder.hold(bytes);
		} catch (error) {
			if (isFault(error)) this.stop(error.denial);
			throw error;
		}
	}

	/** Ends the upstream's work and gives what to throw. */
	tooLarge(): Fault {
		const denial: Denial = {
			kind: "upstream",
			code: "upstream_answer_too_large",
			message: "The upstream's answer is larger than the operator allows.",
		};
		this.stop(denial);
		return new Fault(denial);
	}

	/** Ends the upstream's work when nothing comes for so long, until `unwatch`. */
	watch(clock: Clock, idleMs: number, why: Denial): void {
		const seen = this.chunks;
		this.cancelWatch = clock.after(idleMs, () => {
			if (this.chunks === seen) this.stop(why);
			else this.watch(clock, idleMs, why);
		});
	}

	unwatch(): void {
		this.cancelWatch?.();
	}

	/** Ends the upstream's work at once; a waiting `next` throws `why`. */
	stop(why: Denial): void {
		this.stopped ??= why;
		this.abort.abort();
		this.reader?.cancel().catch(() => undefined);
	}
}
