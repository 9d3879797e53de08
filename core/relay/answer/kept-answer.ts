/** Keeps the answer of a stream, once, before its end reaches a client that may go on from it. */
import { progressOf, type StreamPass } from "../call/exchange.ts";

export class KeptAnswer {
	private readonly pass: StreamPass;
	private readonly write: (answer: unknown) => Promise<void> | undefined;
	private kept = false;

	constructor(pass: StreamPass, write: (answer: unknown) => Promise<void> | undefined) {
		this.pass = pass;
		this.write = write;
	}

	/** A promise where the answer is finished and must be written first. */
	keepFinished(): Promise<void> | undefined {
		return progressOf(this.pass).finished ? this.keep() : undefined;
	}

	keep(): Promise<void> | undefined {
		if (this.kept) return undefined;
		this.kept = true;
		return this.write(this.pass.answer());
	}
}
