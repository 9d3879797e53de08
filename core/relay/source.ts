/** An upstream's answer as it is read: chunk by chunk, and stoppable from outside while a read is waiting. */
import { type Denial, Fault, isFault } from "../fault.ts";

const broken = (cause: unknown): Fault =>
	new Fault(
		{
			kind: "upstream",
			code: "upstream_broke_off",
			message: "The upstream broke off its answer before the end. Ask again.",
		},
		cause,
	);

export class Source {
	private readonly response: Response;
	private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
	private readonly abort: AbortController;
	private stopped: Denial | undefined;
	private pending: Promise<Uint8Array | undefined> | undefined;

	constructor(response: Response, abort: AbortController) {
		this.response = response;
		this.abort = abort;
	}

	/** The next chunk; undefined at the end. Throws `Fault`: what `stop` was given, or `upstream` when the bytes broke off. */
	async next(): Promise<Uint8Array | undefined> {
		const pending = this.pending;
		this.pending = undefined;
		if (pending) return await pending;
		// Read as a stream only when it is wanted as one: a whole answer is cheaper without.
		this.reader ??= this.response.body?.getReader();
		if (this.reader === undefined) return undefined;
		try {
			const { done, value } = await this.reader.read();
			if (this.stopped) throw new Fault(this.stopped);
			if (done) return undefined;
			return value;
		} catch (error) {
			if (this.stopped) throw new Fault(this.stopped);
			throw isFault(error) ? error : broken(error);
		}
	}

	/** The same source, giving first what a `next` that was left waiting will bring. */
	resume(pending: Promise<Uint8Array | undefined>): this {
		// Nobody may be reading when it fails; whoever reads next still gets the failure.
		pending.catch(() => undefined);
		this.pending = pending;
		return this;
	}

	/** The whole answer as one piece; instead of `next`, not after it. */
	async rest(): Promise<Uint8Array> {
		try {
			const whole = new Uint8Array(await this.response.arrayBuffer());
			if (this.stopped) throw new Fault(this.stopped);
			return whole;
		} catch (error) {
			if (this.stopped) throw new Fault(this.stopped);
			throw broken(error);
		}
	}

	/** Ends the upstream's work at once; a waiting `next` throws `why`. */
	stop(why: Denial): void {
		this.stopped ??= why;
		this.abort.abort();
		this.reader?.cancel().catch(() => undefined);
	}
}
