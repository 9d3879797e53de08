/** What the config names and nobody has: each in a sentence that complains of it. */
import { didYouMean, type Endpoint, type Protocol, type SettingMistake, type Upstream } from "#core";
import type { Chooser } from "./service.ts";
import type { RouterSettings } from "./settings.ts";

interface Known {
	readonly upstreams: readonly Upstream[];
	readonly protocols: readonly Protocol[];
	readonly endpoints: readonly Endpoint[];
	/** Upstreams of tasks, which have prices too. */
	readonly taskUpstreams: readonly { readonly name: string }[];
	/** Upstreams that have prices of their own. */
	readonly priced: readonly string[];
	readonly choosers: readonly Chooser[];
}

type Named = readonly { readonly name: string }[];

const lacks = (named: Named, name: string): boolean => !named.some((one) => one.name === name);

const near = (name: string, named: Named): string =>
	didYouMean(
		name,
		named.map((one) => one.name),
	);

/** Names that come more than once: each with the place where it comes again. */
const twice = (list: string, named: Named, complain: (name: string) => string): readonly SettingMistake[] => {
	const first = new Set<string>();
	return named.flatMap(({ name }, index) => {
		const again = first.has(name);
		first.add(name);
		return again ? [{ at: [list, index, "name"], message: complain(name) }] : [];
	});
};

const unknownProtocol = (upstream: string, protocol: string, known: readonly Protocol[]): string =>
	`the upstream "${upstream}" speaks "${protocol}", which no enabled plugin knows; known are ${known.map(({ name }) => name).join(", ") || "none"}`;

/** What plugins bring and nobody can ask: under a name that the config has too, or in no protocol that is here. */
const unreachable = (
	configured: readonly Upstream[],
	{ upstreams, protocols }: Pick<Known, "upstreams" | "protocols">,
): readonly string[] =>
	upstreams
		.filter((upstream) => !configured.includes(upstream))
		.flatMap(({ name, protocols: spoken, endpoints }) => {
			if (!lacks(configured, name))
				return [`the upstream "${name}" is brought by a plugin too; call one of the two otherwise`];
			if (!Array.isArray(spoken))
				return [`the upstream "${name}" of a plugin has no list of protocols: write protocols: ["chat-completions"]`];
			const isMute = !endpoints && spoken.length > 0 && spoken.every((protocol) => lacks(protocols, protocol));
			return isMute ? [unknownProtocol(name, spoken.join(", "), protocols)] : [];
		});

/** Models for which plugins choose in vain: that are none, or for which another does. */
const chosenInVain = (choosers: readonly Chooser[], models: Named): readonly string[] =>
	choosers.flatMap(({ model }, index) => {
		if (lacks(models, model))
			return [
				`a plugin chooses among the targets of the model "${model}", which is not configured${near(model, models)}`,
			];
		const isFirst = choosers.findIndex((one) => one.model === model) === index;
		return isFirst ? [] : [`two plugins choose among the targets of the model "${model}"; switch one of them off`];
	});

/** Of an upstream's endpoints those that no plugin has, or not in that dialect. */
const unknownEndpoints = ({ name, endpoints = {} }: Upstream, known: readonly Endpoint[]): readonly string[] =>
	Object.entries(endpoints).flatMap(([asked, dialect]) => {
		const endpoint = known.find((one) => one.name === asked);
		if (!endpoint)
			return [
				`the upstream "${name}" serves the endpoint "${asked}", which no enabled plugin has${near(asked, known)}; known are ${known.map((one) => one.name).join(", ") || "none"}`,
			];
		if (dialect === "usual" || !lacks(endpoint.dialects, dialect)) return [];
		const dialects = endpoint.dialects.map((one) => one.name).join(", ");
		return [
			`the upstream "${name}" speaks "${dialect}" at the endpoint "${asked}"${near(dialect, endpoint.dialects)}; known are ${dialects}`,
		];
	});

export const namedNowhere = (
	config: RouterSettings,
	configured: readonly Upstream[],
	known: Known,
): readonly (string | SettingMistake)[] => {
	const { upstreams, protocols, endpoints, taskUpstreams, priced, choosers } = known;
	const pricedOnes = [...upstreams, ...taskUpstreams];
	return [
		...twice("upstreams", config.upstreams, (name) => `two upstreams are called "${name}"`),
		...unreachable(configured, known),
		...twice("models", config.models, (name) => `the model "${name}" is configured twice`),
		...configured.flatMap((upstream, index) => [
			...upstream.protocols
				.filter((protocol) => lacks(protocols, protocol))
				.map((protocol) => ({
					at: ["upstreams", index, "protocol"],
					message: unknownProtocol(upstream.name, protocol, protocols),
				})),
			...unknownEndpoints(upstream, endpoints).map((message) => ({ at: ["upstreams", index, "endpoints"], message })),
		]),
		...config.models.flatMap(({ name: model, targets }, index) =>
			targets.flatMap(({ upstream }, target) =>
				lacks(upstreams, upstream)
					? [
							{
								at: ["models", index, "targets", target, "upstream"],
								message: `the model "${model}" leads to the upstream "${upstream}", which is not configured${near(upstream, upstreams)}`,
							},
						]
					: [],
			),
		),
		...chosenInVain(choosers, config.models),
		...priced
			.filter((name) => lacks(pricedOnes, name))
			.map(
				(name) =>
					`prices.upstreams has prices of the upstream "${name}", which is not configured${near(name, pricedOnes)}: calls would be charged by other prices`,
			),
	];
};
