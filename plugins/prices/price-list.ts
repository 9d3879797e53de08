/** Which price a model has: the config's own, then the data package's, then the config's default. */
import { matchesPattern } from "#core";
import type { Catalogue } from "./catalogue.ts";
import { withSteps } from "./long-input.ts";
import type { ConfiguredPrice, PricesConfig } from "./prices-config.ts";
import type { Price, PriceHints, UpstreamPrice } from "./service.ts";

/** Prices by names of models and by patterns. */
class PriceTable {
	private readonly exact: ReadonlyMap<string, Price>;
	private readonly patterns: readonly (readonly [pattern: string, price: Price])[];

	constructor(prices: Readonly<Record<string, ConfiguredPrice>> = {}) {
		const entries = Object.entries(prices).map(([name, price]) => [name, withSteps(price)] as const);
		this.exact = new Map(entries.filter(([name]) => !name.includes("*")));
		this.patterns = entries.filter(([name]) => name.includes("*"));
	}

	/** By the upstream's name for the model, then by the name that was asked for. */
	find(model: string, requested: string | undefined): Price | undefined {
		return this.named(model) ?? (requested === undefined ? undefined : this.named(requested));
	}

	private named(model: string): Price | undefined {
		const exact = this.exact.get(model);
		if (exact) return exact;
		for (const [pattern, price] of this.patterns) if (matchesPattern(pattern, model)) return price;
		return undefined;
	}
}

export class PriceList {
	private readonly anywhere: PriceTable;
	private readonly at: ReadonlyMap<string, PriceTable>;
	private readonly fallback: Price | undefined;
	private readonly catalogue: Catalogue;
	private readonly ofUpstreams: () => readonly UpstreamPrice[];

	constructor(config: PricesConfig, catalogue: Catalogue, ofUpstreams: () => readonly UpstreamPrice[] = () => []) {
		this.anywhere = new PriceTable(config.models);
		this.at = new Map(Object.entries(config.upstreams ?? {}).map(([name, prices]) => [name, new PriceTable(prices)]));
		this.fallback = config.default && withSteps(config.default);
		this.catalogue = catalogue;
		this.ofUpstreams = ofUpstreams;
	}

	find(model: string, { requested, upstream }: PriceHints = {}): Price | undefined {
		return (
			(upstream === undefined ? undefined : this.at.get(upstream)?.find(model, requested)) ??
			this.anywhere.find(model, requested) ??
			this.ofUpstream(upstream) ??
			this.catalogue.find(model, upstream) ??
			(requested === undefined || requested === model ? undefined : this.catalogue.find(requested)) ??
			this.fallback
		);
	}

	private ofUpstream(upstream: string | undefined): Price | undefined {
		return this.ofUpstreams().find((one) => one.upstream === upstream)?.price;
	}
}
