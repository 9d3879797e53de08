/** From a model's name to targets in the order in which they are to be tried. */
import type { AskedCall, PassedOver, Plan, Router, Target, UpstreamHealth } from "#core";
import { type Alerts, raiseOn } from "../alerts/service.ts";
import type { Choosing } from "./chosen.ts";
import { Circuit, type Trouble } from "./circuit.ts";
import { circuitClosed, circuitOpened, reasonOf } from "./circuit-alerts.ts";
import { ConfiguredModels, type ConfiguredModelsOptions } from "./configured-models.ts";
import { spread } from "./keys.ts";
import { Limits } from "./limits.ts";
import { mayFollow } from "./repeating.ts";
import type { ModelSetting } from "./settings.ts";
import { byWeight, whyFirst } from "./weights.ts";

interface RoutingOptions extends ConfiguredModelsOptions {
	/** Names of the upstreams, to show all of them. */
	readonly upstreamNames?: () => readonly string[];
	/** A number from 0 to 1, for weights and for how long a failing upstream is left alone. */
	readonly random: () => number;
	/** Those that upstreams have from before a reload; each other gets one at its first use. */
	readonly circuits?: Map<string, Circuit>;
	/** Who is told when a circuit opens or closes. */
	readonly alerts?: () => readonly Alerts[];
	/** What plugins choose by what a call says; nothing, unless given. */
	readonly choosing?: Choosing;
}

/** A router with what operators see of it. */
export interface Routing extends Router {
	/** The plan a call would have now, and the configured name that it matched; nothing counts as a try. */
	explain(name: string, affinity?: string): (Plan & { readonly pattern: string }) | undefined;
	/** Every configured upstream and every other that was used. */
	states(): readonly (UpstreamHealth & Trouble)[];
}

export const createRouting = (options: RoutingOptions): Routing => {
	const {
		clock,
		log,
		upstreamNamed,
		random,
		choosing,
		circuits = new Map<string, Circuit>(),
		alerts = () => [],
	} = options;
	const configured = new ConfiguredModels(options);
	const limits = new Limits(clock);
	/** Plans of the config's own names with a single target: the same for every call, whatever a policy does to what it is given. */
	const fixedPlans = new Map<string, Plan>();

	const circuitOf = (upstream: string): Circuit => circuits.get(upstream) ?? newCircuit(upstream);

	const newCircuit = (upstream: string): Circuit => {
		const made = new Circuit(clock, random);
		circuits.set(upstream, made);
		return made;
	};

	/** Why a target was put last. */
	const passedOver = (target: Target): PassedOver => {
		const { upstream, model } = target;
		return { upstream: upstream.name, model, reason: limits.words(target) ?? circuitOf(upstream.name).whyAway };
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
		const drawn = affinity === undefined ? random() : spread(affinity) / 2 ** 32;
		const usual = byWeight(setting.targets, drawn).flatMap((target) => configured.targetOf(name, setting, target));
		const isChosen = call && choosing?.chosen(setting.name, usual, call);
		const all = isChosen ? usual.toSorted((a, b) => +isChosen(b) - +isChosen(a)) : usual;
		const mayBeChosen = !call && choosing?.isFor(setting.name) ? ", unless a plugin chooses" : "";
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

	const newPlan: Router["plan"] = (name, affinity, call) => {
		const setting = configured.find(name);
		const plan = setting && planOf(name, setting, affinity, (circuit) => circuit.admits(call?.caller), call);
		if (plan && setting.targets.length === 1 && setting.name === name)
			fixedPlans.set(name, { ...plan, targets: Object.freeze(plan.targets) });
		return plan;
	};

	return {
		plan: (name, affinity, call) => fixedPlans.get(name) ?? newPlan(name, affinity, call),
		explain(name, affinity) {
			const setting = configured.find(name);
			const plan = setting && planOf(name, setting, affinity, ({ state }) => state !== "open");
			return plan && { ...plan, pattern: setting.name };
		},
		models: () => configured.named(),
		listed: () => configured.listed(),
		model(name) {
			const setting = configured.find(name);
			return setting && configured.info(name, setting);
		},
		targets(name) {
			const setting = configured.find(name);
			return setting?.targets.flatMap((target) => configured.targetOf(name, setting, target)) ?? [];
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
				// A circuit may have opened before a start, and nobody else tells that this is over. If none did, nothing is told.
				raiseOn(alerts(), circuitClosed(upstream));
				if (change === "closed") log.info("an upstream answers again", { upstream });
			}
		},
		states,
		health: states,
	};
};
