/** Which kinds there are, and which upstreams do which models. */
import { type Log, matchesPattern } from "#core";
import { kindFaults, upstreamFaults } from "./offer-faults.ts";
import type { TaskKind, TaskUpstream } from "./service.ts";
import { soundKind } from "./sound-kind.ts";

export interface Catalogue {
	kind(name: string): TaskKind | undefined;
	readonly kinds: readonly TaskKind[];
	upstream(name: string): TaskUpstream | undefined;
	readonly upstreams: readonly TaskUpstream[];
	/**
	 * Upstreams that do this model, the best match first; of equal matches in the order of the config. A lone `*` names no
	 * model: an upstream that says no more takes what nobody names, and never stands in for one that names the model.
	 */
	candidates(kind: string, model: string, action: string): readonly TaskUpstream[];
	/** Takes in what plugins offer, once that is known; gives what is wrong with it, in words. There is nothing in it before. */
	fill(given: readonly TaskKind[], upstreams: readonly TaskUpstream[]): readonly string[];
}

/** The name an upstream knows a model by. */
export const nameAt = (upstream: TaskUpstream | undefined, model: string): string =>
	upstream?.rename && Object.hasOwn(upstream.rename, model) ? (upstream.rename[model] ?? model) : model;

/** Longer is better; an exact name is better than any pattern; undefined: no match. */
const fit = (pattern: string, model: string): number | undefined => {
	if (!matchesPattern(pattern, model)) return undefined;
	return pattern.includes("*") ? pattern.length : Number.POSITIVE_INFINITY;
};

const bestFit = (upstream: Pick<TaskUpstream, "models">, model: string): number => {
	const fits = upstream.models.flatMap((pattern) => fit(pattern, model) ?? []);
	return fits.length === 0 ? Number.NEGATIVE_INFINITY : Math.max(...fits);
};

const twice = (names: readonly string[]): readonly string[] => [
	...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

const byName = <Named extends { readonly name: string }>(all: readonly Named[]): ReadonlyMap<string, Named> =>
	new Map(all.map((one) => [one.name, one]));

export const createCatalogue = (log: Log): Catalogue => {
	let kinds = byName<TaskKind>([]);
	let upstreams: readonly TaskUpstream[] = [];
	let upstreamsByName = byName(upstreams);
	return {
		get kinds() {
			return [...kinds.values()];
		},
		get upstreams() {
			return upstreams;
		},
		kind: (name) => kinds.get(name),
		upstream: (name) => upstreamsByName.get(name),
		candidates(kind, model, action) {
			const fitting = upstreams
				.filter((upstream) => upstream.kind === kind && (upstream.actions?.includes(action) ?? true))
				.map((upstream) => ({ upstream, score: bestFit(upstream, model) }))
				.filter(({ score }) => score > Number.NEGATIVE_INFINITY)
				.sort((a, b) => (a.score === b.score ? 0 : b.score - a.score));
			const named = fitting.filter(({ score }) => score > "*".length);
			return (named.length > 0 ? named : fitting).map(({ upstream }) => upstream);
		},
		fill(given, offered) {
			kinds = byName(given.map((kind) => soundKind(kind, log)));
			upstreams = offered;
			upstreamsByName = byName(offered);
			return [
				...given.flatMap(kindFaults),
				...offered.flatMap(upstreamFaults),
				...twice(given.map(({ name }) => name)).map(
					(name) => `two plugins give the task kind "${name}"; switch one of them off`,
				),
				...twice(offered.map(({ name }) => name)).map(
					(name) => `two task upstreams are called "${name}"; give one of them another name`,
				),
			];
		},
	};
};

/** What is looked at to name an example. */
export interface Offered {
	readonly kinds: readonly Pick<TaskKind, "name" | "defaultModel">[];
	readonly upstreams: readonly Pick<TaskUpstream, "kind" | "models">[];
}

/** What a first task may ask for: of the first kind whose usual model is done here, else of the first model with a name. */
export const exampleIn = ({
	kinds,
	upstreams,
}: Offered): { readonly kind: string; readonly model?: string } | undefined => {
	const does = (kind: string, model: string) =>
		upstreams.some((upstream) => upstream.kind === kind && bestFit(upstream, model) > Number.NEGATIVE_INFINITY);
	const usual = kinds.find(({ name, defaultModel }) => does(name, defaultModel));
	if (usual) return { kind: usual.name, model: usual.defaultModel };
	const named = upstreams.flatMap(({ kind, models }) => models.map((model) => ({ kind, model })));
	const [first] = kinds;
	return named.find(({ model }) => !model.includes("*")) ?? (first && { kind: first.name });
};
