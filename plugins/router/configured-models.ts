/** The models that the config names, by exact names and by patterns: which a name means, where it leads, what lists tell of it. */
import { type Clock, definedOnly, type Log, type ModelInfo, matchesPattern, type Target, type Upstream } from "#core";
import { fixedLength, type ModelLookup } from "./known-models.ts";
import type { ModelSetting } from "./settings.ts";
import { UpstreamLists } from "./upstream-lists.ts";

/**
 * Names that an upstream would take for another: `cheap/../dear` is `dear` in an address, `cheap,dear` is both to LiteLLM, which
 * asks them at once, and `cheap@preset/a` to OpenRouter whatever its operator keeps there, another model's tools among it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: no name has them
const crooked = /(?:^|[/\\])\.{1,2}(?:$|[/\\])|@preset\/|[,\u0000-\u001f\u007f]/i;

export interface ConfiguredModelsOptions {
	readonly models: readonly ModelSetting[];
	readonly clock: Clock;
	readonly log: Log;
	readonly upstreamNamed: (name: string) => Upstream | undefined;
	/** What is known of a model. */
	readonly capabilitiesOf: ModelLookup;
	/** Seconds since 1970, shown as the time models came to be. */
	readonly createdAt: number;
}

export class ConfiguredModels {
	private readonly options: ConfiguredModelsOptions;
	private readonly exact: ReadonlyMap<string, ModelSetting>;
	/** In the config's order, for lists; and the most specific first, to be looked through. */
	private readonly patterns: readonly ModelSetting[];
	private readonly specificFirst: readonly ModelSetting[];
	private readonly lists: UpstreamLists;

	constructor(options: ConfiguredModelsOptions) {
		const { models, clock, log } = options;
		this.options = options;
		this.exact = new Map(models.filter(({ name }) => !name.includes("*")).map((model) => [model.name, model]));
		this.patterns = models.filter(({ name }) => name.includes("*"));
		this.specificFirst = this.patterns.toSorted((a, b) => fixedLength(b.name) - fixedLength(a.name));
		this.lists = new UpstreamLists(clock, log);
	}

	find(name: string): ModelSetting | undefined {
		const named = this.exact.get(name);
		if (named || crooked.test(name)) return named;
		return this.specificFirst.find((pattern) => matchesPattern(pattern.name, name));
	}

	/** Where a target leads when a model is asked for by this name: nowhere, when its upstream is gone. */
	targetOf(name: string, { caps }: ModelSetting, target: ModelSetting["targets"][number]): Target[] {
		const { upstreamNamed, capabilitiesOf } = this.options;
		const upstream = upstreamNamed(target.upstream);
		const model = target.model ?? name;
		return upstream ? [{ upstream, model, capabilities: capabilitiesOf(model, upstream.vendor, caps) }] : [];
	}

	/** What lists tell of a model, by the first of its targets. */
	info(name: string, { targets: [first], caps }: ModelSetting): ModelInfo {
		const { upstreamNamed, capabilitiesOf, createdAt } = this.options;
		const upstream = first && upstreamNamed(first.upstream);
		const model = first?.model ?? name;
		const listed = upstream && this.lists.known(upstream.name).get(model);
		const { contextWindow, maxOutput, embeds } = { ...listed, ...caps };
		const capabilities = {
			...capabilitiesOf(model, upstream?.vendor, caps),
			...definedOnly({ contextWindow, maxOutput, embeds }),
		};
		return { name, createdAt, ownedBy: "portico", capabilities };
	}

	/** Those with an exact name. */
	named(): readonly ModelInfo[] {
		return [...this.exact].map(([name, setting]) => this.info(name, setting));
	}

	/** Also those that patterns lead to, as far as their upstreams tell what they have. */
	async listed(): Promise<readonly ModelInfo[]> {
		await this.lists.refresh(new Set(this.patterns.flatMap((pattern) => this.behind(pattern))));
		const found = this.patterns.flatMap((pattern) => {
			const names = this.behind(pattern).flatMap(({ name }) => [...this.lists.known(name).keys()]);
			return [...new Set(names)].filter((name) => this.find(name) === pattern).map((name) => this.info(name, pattern));
		});
		return [...this.named(), ...found];
	}

	/** Upstreams to which a pattern leads by the name that was asked for. */
	private behind({ targets }: ModelSetting): readonly Upstream[] {
		return targets.flatMap(({ upstream, model }) =>
			model === undefined ? (this.options.upstreamNamed(upstream) ?? []) : [],
		);
	}
}
