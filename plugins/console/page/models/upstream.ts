/** An upstream as the server shows it. */
import { asWire, number, text, time, type Wire, wires } from "../data/read.ts";
import type { Tone } from "../parts/state.tsx";

export interface Upstream {
	readonly name: string;
	readonly circuit: string;
	/** Failures in a row. */
	readonly failures: number;
	/** When the first of them was. */
	readonly failingSince: number | undefined;
	readonly openForSeconds: number | undefined;
	/** For each of its keys: whether it is used; false where it rests. */
	readonly keys: readonly boolean[];
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
		keys: Array.isArray(wire["keys"]) ? wire["keys"].map((used) => used === true) : [],
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

const circuits: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
	closed: ["Working", "good"],
	"half-open": ["To be tried again", "warn"],
	open: ["Left alone", "stop"],
};

/** An upstream that answers is of no use while its keys are refused. */
export const stateOf = ({ circuit, openForSeconds, keys }: Upstream): readonly [word: string, tone: Tone] => {
	const resting = keys.filter((used) => !used).length;
	if (circuit === "closed" && resting > 0) {
		if (resting < keys.length) return [`Keys at rest: ${resting} of ${keys.length}`, "warn"];
		return [resting === 1 ? "Its key rests" : "All its keys rest", "stop"];
	}
	const [word, tone] = circuits[circuit] ?? [circuit, "off"];
	return [openForSeconds === undefined ? word : `${word}, ${openForSeconds} s more`, tone];
};

/** Those that fail now, of the server's troubles: as `portico status` has it. `of`: what they do, where that is not model calls. */
export const failingIn = (troubles: Wire, of?: string): readonly Wire[] =>
	wires(troubles, "upstreams").filter((one) => text(one, "of") === of && one["failing"] === true);
