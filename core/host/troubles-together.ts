/** The troubles of all workers of this machine as those of one server, whichever worker was asked. */
import type { WorkerAnswer, Workers } from "../contract/host-info.ts";
import type { UpstreamHealth } from "../contract/router.ts";
import { asList, asNumber, asRecord, asText, definedOnly, isRecord } from "../neutral/json.ts";
import { failuresTogether, troubleOf } from "./failing-parts.ts";
import type { Failures, Trouble } from "./trouble.ts";
import type { UnwellUpstream } from "./upstream-states.ts";

/** A trouble, and which workers have it, where not all of them do. */
interface SharedTrouble extends Trouble {
	readonly workers?: readonly number[];
}

export interface TroublesTogether {
	/** Those of every process that answered. */
	readonly data: readonly SharedTrouble[];
	/** Upstreams that are not well at any of them, each as the worker has it that keeps calls away from it. */
	readonly upstreams: readonly UnwellUpstream[];
	/** How many processes that was. */
	readonly workers: number;
}

/** What one process says of itself. */
type Own = () => Pick<TroublesTogether, "data" | "upstreams">;

const question = "host: troubles";

const kinds: readonly Trouble["what"][] = [
	"certificate",
	"clock",
	"config",
	"database",
	"disk",
	"open files",
	"plugin",
	"worker",
];

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

const circuits: readonly UpstreamHealth["circuit"][] = ["open", "half-open", "closed"];

const decodeUpstreams = (told: unknown): readonly UnwellUpstream[] =>
	asList(told).flatMap((one) => {
		const { upstream, of, circuit, keys, failingSince, lastFailure, failing } = asRecord(one);
		const state = circuits.find((one) => one === circuit);
		if (state === undefined) return [];
		const { message, at, advice } = asRecord(lastFailure);
		const known = definedOnly({ at: asText(at), advice: asText(advice) });
		return [
			{
				upstream: String(upstream),
				...definedOnly({ of: asText(of) }),
				circuit: state,
				...(Array.isArray(keys) && { keys: keys.map((used) => used === true) }),
				...definedOnly({ failingSince: asText(failingSince) }),
				...(typeof message === "string" && { lastFailure: { message, ...known } }),
				failing: failing === true,
			},
		];
	});

/** An open circuit tells more than one that is tried, and that more than one that is closed; of two alike the one that fails now. */
const byWhatTheyTell = (a: UnwellUpstream, b: UnwellUpstream): number =>
	circuits.indexOf(a.circuit) - circuits.indexOf(b.circuit) || +b.failing - +a.failing;

/** Each once. */
const worstOf = (all: readonly UnwellUpstream[]): readonly UnwellUpstream[] => {
	const found = new Map<string, UnwellUpstream>();
	for (const one of all.toSorted(byWhatTheyTell)) {
		const name = `${one.of ?? ""} ${one.upstream}`;
		if (!found.has(name)) found.set(name, one);
	}
	return [...found.values()];
};

/** One that hangs: half of all calls may reach it, and others know nothing of that. */
const hanging = ({ worker, silent }: WorkerAnswer, workers: number): readonly Trouble[] =>
	silent
		? [
				{
					what: "worker",
					since: silent.since,
					message: `Worker ${worker} of ${workers} (process ${silent.process}) does not answer, and calls that reach it wait.`,
					advice: `If that lasts end it (kill -9 ${silent.process}): another takes its place, and charges what its journal tells.`,
				},
			]
		: [];

/** Says to the other workers what this one has; gives what takes that away. */
export const tellTroubles = (workers: Workers | undefined, own: Own): (() => void) | undefined =>
	workers?.answer(question, own);

/** Where nobody else can be asked, those of this process. */
export const troublesTogether = async (workers: Workers | undefined, own: Own): Promise<TroublesTogether> => {
	const answers = (await workers?.ask(question).catch(() => undefined)) ?? [];
	const running = answers.filter(({ running, silent }) => running || silent);
	if (running.length === 0) return { ...own(), workers: 1 };
	return {
		data: [
			...running.flatMap((one) => hanging(one, running.length)),
			...merged(running.map(({ worker, answer }) => [worker, decode(asRecord(answer)["data"])])),
		],
		upstreams: worstOf(running.flatMap(({ answer }) => decodeUpstreams(asRecord(answer)["upstreams"]))),
		workers: running.length,
	};
};
