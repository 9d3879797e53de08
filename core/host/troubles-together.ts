/** The troubles of all workers of this machine as those of one server, whichever worker was asked. */
import type { Workers } from "../contract/host-info.ts";
import { asList, asNumber, asRecord, asText, isRecord } from "../neutral/json.ts";
import { type Failures, failuresTogether, troubleOf } from "./failing-parts.ts";
import type { Trouble } from "./troubles.ts";

/** A trouble, and which workers have it, where not all of them do. */
interface SharedTrouble extends Trouble {
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

const decodeFailures = (told: Readonly<Record<string, unknown>>): Failures => ({
	part: asText(told["part"]) ?? "",
	isJob: told["isJob"] === true,
	since: asNumber(told["since"]) ?? 0,
	last: asNumber(told["last"]) ?? 0,
	times: asNumber(told["times"]) ?? 0,
	words: asText(told["words"]) ?? "",
});

const decode = (told: unknown): readonly Trouble[] =>
	asList(told).flatMap((one) => {
		const { what, since, message, advice, failures } = asRecord(one);
		const known = kinds.find((kind) => kind === what);
		if (known === undefined) return [];
		if (isRecord(failures)) return [troubleOf(decodeFailures(failures))];
		return [{ what: known, since: asNumber(since) ?? 0, message: asText(message) ?? "", advice: asText(advice) ?? "" }];
	});

/** Two workers' account of one trouble. */
const together = (one: Trouble, other: Trouble): Trouble => {
	if (one.failures && other.failures) return troubleOf(failuresTogether(one.failures, other.failures));
	return other.since < one.since ? other : one;
};

/** The same trouble once, since the first worker had it; what failed in a plugin as often as it did at all of them. */
const merged = (
	told: readonly (readonly [worker: number, troubles: readonly Trouble[]])[],
): readonly SharedTrouble[] => {
	const found = new Map<string, { trouble: Trouble; readonly workers: number[] }>();
	for (const [worker, troubles] of told)
		for (const trouble of troubles) {
			const key = trouble.failures?.part ?? trouble.message;
			const known = found.get(key);
			if (!known) found.set(key, { trouble, workers: [worker] });
			else {
				known.workers.push(worker);
				known.trouble = together(known.trouble, trouble);
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
