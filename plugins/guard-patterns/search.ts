/**
 * Looks for patterns in what may be very long, and lets others have their turn meanwhile: of all searches that take long
 * one goes on in each turn of the event loop.
 */
import { setImmediate } from "node:timers";
import { deny, Fault } from "#core";
import { type Pattern, startsAtOnce } from "./patterns.ts";

/** Milliseconds after which a search gives way. */
const longestTurn = 10;

const waiting: (() => void)[] = [];

const next = (): void => {
	waiting.shift()?.();
	if (waiting.length > 0) setImmediate(next);
};

const nextTurn = (): Promise<void> =>
	new Promise((goOn) => {
		if (waiting.length === 0) setImmediate(next);
		waiting.push(goOn);
	});

const unwanted = deny("internal", "The client left.");

export class Search {
	private readonly signal: AbortSignal;
	private began = performance.now();

	/** `signal`: nobody waits for what is found any more. */
	constructor(signal: AbortSignal) {
		this.signal = signal;
	}

	/** The text with each match in its stand-in. */
	async replaced(text: string, { expression }: Pattern, stand: (words: string) => string): Promise<string> {
		let changed = "";
		let done = 0;
		for (let at = 0; at < text.length; ) {
			if (performance.now() - this.began > longestTurn) await this.rest();
			expression.lastIndex = at;
			const words = expression.exec(text)?.[1];
			at = words === undefined ? at + startsAtOnce : expression.lastIndex;
			// What only looks at its surroundings, such as \b, matches nothing: there is nothing to hide, and one goes on behind it.
			if (words === "") at++;
			if (!words) continue;
			changed += text.slice(done, at - words.length) + stand(words);
			done = at;
		}
		return done === 0 ? text : changed + text.slice(done);
	}

	private async rest(): Promise<void> {
		await nextTurn();
		if (this.signal.aborted) throw new Fault(unwanted);
		this.began = performance.now();
	}
}
