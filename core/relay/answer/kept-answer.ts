/** Keeps answers for clients that may go on from them, which only some protocols know. */
import { progressOf, type StreamPass } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";

/** Whether the answer may have to be kept. */
export const keeps = ({ routed }: LiveCall): boolean =>
	routed.surface === "model" && routed.ask.protocol.conversations?.save !== undefined;

/** A promise where the answer must be written first; `answer` is undefined for one that nobody can go on from. */
export const keep = ({ routed, target }: LiveCall, answer: unknown): Promise<void> | undefined => {
	if (answer === undefined || routed.surface !== "model") return undefined;
	const { ask, token } = routed;
	return ask.protocol.conversations?.save?.(ask, token, answer, target);
};

/** Keeps the answer of a stream, once, before its end reaches the client. */
export class KeptAnswer {
	private readonly pass: StreamPass;
	private readonly live: LiveCall;
	private kept = false;

	constructor(pass: StreamPass, live: LiveCall) {
		this.pass = pass;
		this.live = live;
	}

	/** A promise where the answer is finished and must be written first. */
	keepFinished(): Promise<void> | undefined {
		return progressOf(this.pass).finished ? this.keep() : undefined;
	}

	keep(): Promise<void> | undefined {
		if (this.kept) return undefined;
		this.kept = true;
		return keep(this.live, this.pass.answer());
	}
}
