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

/** The most that is read of an answer that is no stream, in bytes. */
const largestAnswer = 512 * 1024 * 1024;

export class Source {
	/** Upstream bytes read so far. */
	bytes = 0;
	private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
	private readonly abort: AbortController;
	private stopped: Denial | undefined;
	private pending: Promise<Uint8Array | undefined> | undefined;

	constructor(response: Response, abort: AbortController) {
		this.reader = response.body?.getReader();
		this.abort = abort;
	}

	/** The next chunk; undefined at the end. Throws `Fault`: what `stop` was given, or `upstream` when the bytes broke off. */
	async next(): Promise<Uint8Array | undefined> {
		const pending = this.pending;
		this.pending = undefined;
		if (pending) return await pending;
		if (this.reader === undefined) return undefined;
		try {
			const { done, value } = await this.reader.read();
			if (this.stopped) throw new Fault(this.stopped);
			if (done) return undefined;
			this.bytes += value.length;
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

	/** Everything that is left, as one piece. */
	async rest(): Promise<Uint8Array> {
		const chunks: Uint8Array[] = [];
		for (;;) {
			const chunk = await this.next();
			if (chunk === undefined) break;
			chunks.push(chunk);
			if (this.bytes > largestAnswer) {
				this.stop({ kind: "upstream", message: "The upstream's answer is too large to be held." });
				throw broken("too large");
			}
		}
		const [only] = chunks;
		if (chunks.length === 1 && only) return only;
		const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
		let at = 0;
		for (const chunk of chunks) {
			whole.set(chunk, at);
			at += chunk.length;
		}
		return whole;
	}

	/** Ends the upstream's work at once; a waiting `next` throws `why`. */
	stop(why: Denial): void {
		this.stopped ??= why;
		this.abort.abort();
		this.reader?.cancel().catch(() => undefined);
	}
}
