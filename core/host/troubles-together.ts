/** The troubles of all workers of this machine as those of one server, whichever worker was asked. */
import type { Workers } from "../contract/host-info.ts";
import { asList, asNumber, asRecord, asText } from "../neutral/json.ts";
import type { Trouble } from "./troubles.ts";

/** A trouble, and which workers have it, where not all of them do. */
export interface SharedTrouble extends Trouble {
	readonly workers?: readonly number[];
}

export interface TroublesTogether {
	/** Those of every process that answered. */
	readonly data: readonly SharedTrouble[];
	/** How many processes that was. */
	readonly workers: number;
}

const question = "host: troubles";

const kinds: readonly Trouble["what"][] = ["certificate", "config", "database", "disk", "plugin"];

const decode = (told: unknown): readonly Trouble[] =>
	asList(told).flatMap((one) => {
		const { what, since, message, advice } = asRecord(one);
		const known = kinds.find((kind) => kind === what);
		if (known === undefined) return [];
		return [{ what: known, since: asNumber(since) ?? 0, message: asText(message) ?? "", advice: asText(advice) ?? "" }];
	});

/** The same trouble once, since the first worker had it. */
const merged = (
	told: readonly (readonly [worker: number, troubles: readonly Trouble[]])[],
): readonly SharedTrouble[] => {
	const found = new Map<string, { trouble: Trouble; readonly workers: number[] }>();
	for (const [worker, troubles] of told)
		for (const trouble of troubles) {
			const known = found.get(trouble.message);
			if (!known) found.set(trouble.message, { trouble, workers: [worker] });
			else {
				known.workers.push(worker);
				if (trouble.since < known.trouble.since) known.trouble = trouble;
			}
		}
	return [...found.values()].map(({ trouble, workers }) =>
		workers.length === told.length ? trouble : { ...trouble, workers },
	);
};

/** Says to the other workers what this one has; gives what takes that away. */
export const tellTroubles = (workers: Workers | undefined, own: () => readonly Trouble[]): (() => void) | undefined =>
	workers?.answer(question, own);

/** Where nobody else can be asked, those of this process. */
export const troublesTogether = async (
	workers: Workers | undefined,
	own: () => readonly Trouble[],
): Promise<TroublesTogether> => {
	const answers = (await workers?.ask(question).catch(() => undefined)) ?? [];
	const running = answers.filter((one) => one.running);
	if (running.length === 0) return { data: own(), workers: 1 };
	return {
		data: merged(running.map(({ worker, answer }) => [worker, decode(answer)])),
		workers: running.length,
	};
};
