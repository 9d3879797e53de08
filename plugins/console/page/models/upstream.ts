/** An upstream as the server shows it. */
import { asWire, number, text, time, type Wire } from "../data/read.ts";
import type { Tone } from "../parts/state.tsx";

export interface Upstream {
	readonly name: string;
	readonly circuit: string;
	/** Failures in a row. */
	readonly failures: number;
	/** When the first of them was. */
	readonly failingSince: number | undefined;
	readonly openForSeconds: number | undefined;
	readonly lastFailure:
		| {
				readonly at: number | undefined;
				readonly kind: string;
				readonly status: number | undefined;
				readonly message: string;
				readonly advice: string | undefined;
		  }
		| undefined;
}

export const upstreamOf = (wire: Wire): Upstream => {
	const failure = asWire(wire["lastFailure"]);
	const message = text(failure, "message");
	return {
		name: text(wire, "upstream") ?? "",
		circuit: text(wire, "circuit") ?? "",
		failures: number(wire, "failures") ?? 0,
		failingSince: time(wire, "failingSince"),
		openForSeconds: number(wire, "openForSeconds"),
		lastFailure:
			message === undefined
				? undefined
				: {
						at: time(failure, "at"),
						kind: text(failure, "kind") ?? "",
						status: number(failure, "status"),
						message,
						advice: text(failure, "advice"),
					},
	};
};

export const circuits: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
	closed: ["Working", "good"],
	"half-open": ["Being tried", "warn"],
	open: ["Left alone", "stop"],
};
