/** From a model's name to targets in the order in which they are to be tried. */
import {
	type AskedCall,
	type Clock,
	definedOnly,
	type Log,
	type ModelInfo,
	matchesPattern,
	type PassedOver,
	type Plan,
	type Router,
	type Target,
	type Upstream,
	type UpstreamHealth,
} from "#core";
import { type Alerts, raiseOn } from "../alerts/service.ts";
import type { Choosing } from "./chosen.ts";
import { Circuit, callerOf, type Trouble } from "./circuit.ts";
import { circuitClosed, circuitOpened, reasonOf } from "./circuit-alerts.ts";
import { spread } from "./keys.ts";
import { fixedLength, type ModelLookup } from "./known-models.ts";
import { Limits } from "./limits.ts";
import { mayFollow } from "./repeating.ts";
import type { ModelSetting } from "./settings.ts";
import { UpstreamLists } from "./upstream-lists.ts";

/**
 * Names that an upstream would take for another: `cheap/../dear` is `dear` in an address, `cheap,dear` is both to LiteLLM, which
 * asks them at once, and `cheap@preset/a` to OpenRouter whatever its operator keeps there, another model's tools among it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: no name has them
const crooked = /(?:^|[/\\])\.{1,2}(?:$|[/\\])|@preset\/|[,\u0000-\u001f\u007f]/i;

interface RoutingOptions {
	readonly models: readonly ModelSetting[];
	readonly clock: Clock;
	readonly log: Log;
	readonly upstreamNamed: (name: string) => Upstream | undefined;
	/** What is known of a model. */
	readonly capabilitiesOf: ModelLookup;
	/** Names of the upstreams, to show all of them. */
	readonly upstreamNames?: () => readonly string[];
	/** A number from 0 to 1, for weights and for how long a failing upstream is left alone. */
	readonly random: () => number;
	/** Who is told when a circuit opens or closes. */
	readonly alerts?: () => readonly Alerts[];
	/** What plugins choose by what a call says; nothing, unless given. */
	readonly choosing?: Choosing;
	/** Seconds since 1970, shown as the time models came to be. */
	readonly createdAt: number;
}

/** A router with what operators see of it. */
export interface Routing extends Router {
	/** The plan a call would have now, and the configured name that it matched; nothing counts as a try. */
	explain(name: string, affinity?: string): (Plan & { readonly pattern: string }) | undefined;
	/** Every configured upstream and every other that was used. */
	states(): readonly (UpstreamHealth & Trouble)[];
}

export const createRouting = (options: RoutingOptions): Routing => {
	const { clock, log, upstreamNamed, capabilitiesOf, random, createdAt, alerts = () => [] } = options;
	const exact = new Map(options.models.filter(({ name }) => !name.includes("*")).map((model) => [model.name, model]));
	const inOrder = options.models.filter(({ name }) => name.includes("*"));
	const patterns = inOrder.toSorted((a, b) => fixedLength(b.name) - fixedLength(a.name));
	const circuits = new Map<string, Circuit>();
	const limits = new Limits(clock);

	const settingFor = (name: string): ModelSetting | undefined =>
		exact.get(name) ??
		(crooked.test(name) ? undefined : patterns.find((pattern) => matchesPattern(pattern.name, name)));

	const circuitOf = (upstream: string): Circuit => circuits.get(upstream) ?? newCircuit(upstream);

	const newCircuit = (upstream: string): Circuit => {
		const made = new Circuit(clock, random);
		circuits.set(upstream, made);
		return made;
	};

	/** Why the first target is the first. */
	const whyFirst = (targets: ModelSetting["targets"], affinity: string | undefined): string => {
		if (targets.length === 1) return "only";
		const weighted = targets.filter(({ weight }) => (weight ?? 0) > 0).length;
		if (weighted === 0) return "first";
		if (weighted === 1) return "weight";
		return affinity === undefined ? "weight" : "affinity";
	};

	/** Why a target was put last. */
	const passedOver = (target: Target): PassedOver => {
		const { upstream, model } = target;
		return { upstream: upstream.name, model, reason: limits.words(target) ?? circuitOf(upstream.name).whyAway };
	};

	/** Those with a weight come first, the first of them drawn by weight (the same for the same affinity); then the rest. */
	const arranged = (targets: ModelSetting["targets"], affinity: string | undefined): ModelSetting["targets"] => {
		const weighted = targets.filter(({ weight }) => (weight ?? 0) > 0);
		const total = weighted.reduce((sum, { weight = 0 }) => sum + weight, 0);
		let point = (affinity === undefined ? random() : spread(affinity) / 2 ** 32) * total;
		const first =
			weighted.find(({ weight = 0 }) => {
				point -= weight;
				return point < 0;
			}) ?? weighted[0];
		return [
			...(first ? [first] : []),
			...weighted.filter((target) => target !== first),
			...targets.filter(({ weight }) => weight === undefined),
		];
	};

	const targetOf = (name: string, setting: ModelSetting, target: ModelSetting["targets"][number]): Target[] => {
		const upstream = upstreamNamed(target.upstream);
		const model = target.model ?? name;
		if (!upstream) return [];
		return [{ upstream, model, capabilities: capabilitiesOf(model, upstream.vendor, setting.caps) }];
	};

	/** Plans of models with an exact name and a single target: the same for every call, whatever a policy does to what it is given. */
	const fixedPlans = new Map<string, Plan>();

	const infoOf = (name: string, setting: ModelSetting): ModelInfo => {
		const [first] = setting.targets;
		const upstream = first && upstreamNamed(first.upstream);
		const model = first?.model ?? name;
		const listed = upstream && lists.known(upstream.name).get(model);
		const { contextWindow, maxOutput, embeds } = { ...listed, ...setting.caps };
		const capabilities = {
			...capabilitiesOf(model, upstream?.vendor, setting.caps),
			...definedOnly({ contextWindow, maxOutput, embeds }),
		};
		return { name, createdAt, ownedBy: "portico", capabilities };
	};

	const lists = new UpstreamLists(clock, log);

	/** Upstreams to which a pattern leads by the name that was asked for. */
	const behind = ({ targets }: ModelSetting): readonly Upstream[] =>
		targets.flatMap(({ upstream, model }) => (model === undefined ? (upstreamNamed(upstream) ?? []) : []));

	const models = (): readonly ModelInfo[] => [...exact].map(([name, setting]) => infoOf(name, setting));

	const listed = async (): Promise<readonly ModelInfo[]> => {
		await lists.refresh(new Set(inOrder.flatMap(behind)));
		const found = inOrder.flatMap((pattern) => {
			const names = behind(pattern).flatMap(({ name }) => [...lists.known(name).keys()]);
			return [...new Set(names)].filter((name) => settingFor(name) === pattern).map((name) => infoOf(name, pattern));
		});
		return [...models(), ...found];
	};

	const keysOf = (upstream: string): Pick<UpstreamHealth, "keys"> => {
		const keys = upstreamNamed(upstream)?.keys?.() ?? [];
		return keys.length > 0 ? { keys } : {};
	};

	/** Configured ones come first, in their order. */
	const states: Routing["states"] = () =>
		[...new Set([...(options.upstreamNames?.() ?? []), ...circuits.keys()])].map((upstream) => ({
			upstream,
			circuit: circuits.get(upstream)?.state ?? "closed",
			...(circuits.get(upstream)?.trouble ?? { failures: 0 }),
			...keysOf(upstream),
		}));

	/** `admits` may count as a try: that of a dry run, which has no call, does not. */
	const planOf = (
		name: string,
		setting: ModelSetting,
		affinity: string | undefined,
		admits: (circuit: Circuit) => boolean,
		call?: AskedCall,
	): Plan | undefined => {
		const usual = arranged(setting.targets, affinity).flatMap((target) => targetOf(name, setting, target));
		const isChosen = call && options.choosing?.chosen(setting.name, usual, call);
		const all = isChosen ? usual.toSorted((a, b) => +isChosen(b) - +isChosen(a)) : usual;
		const mayBeChosen = !call && options.choosing?.isFor(setting.name) ? ", unless a plugin chooses" : "";
		const whyLeads = isChosen ? "chosen" : whyFirst(setting.targets, affinity) + mayBeChosen;
		const probes = new Set(all.filter(({ upstream }) => circuitOf(upstream.name).state === "half-open"));
		const free = (target: Target): boolean => !limits.words(target) && admits(circuitOf(target.upstream.name));
		const admitted = new Set(all.length > 1 ? all.filter(free) : all);
		// Where nothing else is left, trying one that is left alone is still better than refusing.
		const last = all.filter((target) => !admitted.has(target));
		const [first, ...rest] = [...admitted, ...last];
		const whyOf = (target: Target): string => {
			if (all.length === 1) return "only";
			if (!admitted.has(target)) return "last resort";
			if (probes.has(target)) return "probe";
			if (target !== all[0]) return "next";
			return whyLeads;
		};
		return (
			first && {
				targets: [first, ...rest],
				translation: setting.translation ?? "lossy",
				why: [first, ...rest].map(whyOf),
				...(last.length > 0 && { passedOver: last.map(passedOver) }),
			}
		);
	};

	return {
		plan(name, affinity, call): Plan | undefined {
			const fixedPlan = fixedPlans.get(name);
			if (fixedPlan) return fixedPlan;
			const setting = settingFor(name);
			const plan = setting && planOf(name, setting, affinity, (circuit) => circuit.admits(callerOf(call)), call);
			if (plan && setting.targets.length === 1 && exact.has(name))
				fixedPlans.set(name, { ...plan, targets: Object.freeze(plan.targets) });
			return plan;
		},
		explain(name, affinity) {
			const setting = settingFor(name);
			const plan = setting && planOf(name, setting, affinity, ({ state }) => state !== "open");
			return plan && { ...plan, pattern: setting.name };
		},
		models,
		listed,
		model(name) {
			const setting = settingFor(name);
			return setting && infoOf(name, setting);
		},
		targets(name) {
			const setting = settingFor(name);
			return setting?.targets.flatMap((target) => targetOf(name, setting, target)) ?? [];
		},
		mayFollow,
		report(report) {
			const { error, target } = report;
			const upstream = target.upstream.name;
			if (error) limits.report(error, target);
			const change = circuitOf(upstream).report(report);
			if (change === "opened") {
				raiseOn(alerts(), circuitOpened(upstream, report));
				log.warn("an upstream fails; calls go elsewhere while it does, where they can", {
					upstream,
					kind: error?.kind,
					reason: reasonOf(report),
				});
			} else if (change !== undefined) {
				// A circuit may have opened before a start or a reload, and nobody else tells that this is over. If none did, nothing is told.
				raiseOn(alerts(), circuitClosed(upstream));
				if (change === "closed") log.info("an upstream answers again", { upstream });
			}
		},
		states,
		health: states,
	};
};
