/** Which price a model has: the config's own, then the data package's, then the config's default. */
import { patternLookup } from "#core";
import type { Catalogue } from "./catalogue.ts";
import { withSteps } from "./long-input.ts";
import type { ConfiguredPrice, PricesConfig } from "./prices-config.ts";
import type { Price, PriceHints, UpstreamPrice } from "./service.ts";

/** Finds what config says that a model costs. */
type Configured = (model: string) => Price | undefined;

const configured = (prices: Readonly<Record<string, ConfiguredPrice>> = {}): Configured =>
	patternLookup(Object.entries(prices).map(([name, price]) => [name, withSteps(price)]));

/** By the upstream's name for the model, then by the name that was asked for. */
const priceIn = (prices: Configured, model: string, requested: string | undefined): Price | undefined =>
	prices(model) ?? (requested === undefined ? undefined : prices(requested));

/** Lists of vendors say by -1 that a price is told elsewhere: that is no price, least of all one that pays. */
const isOffered = (price: Price): boolean =>
	Object.values(price).every((rate) => typeof rate !== "number" || rate >= 0);

export class PriceList {
	private readonly anywhere: Configured;
	private readonly at: ReadonlyMap<string, Configured>;
	private readonly fallback: Price | undefined;
	private readonly catalogue: Catalogue;
	private readonly ofUpstreams: () => readonly UpstreamPrice[];

	constructor(config: PricesConfig, catalogue: Catalogue, ofUpstreams: () => readonly UpstreamPrice[] = () => []) {
		this.anywhere = configured(config.models);
		this.at = new Map(Object.entries(config.upstreams ?? {}).map(([name, prices]) => [name, configured(prices)]));
		this.fallback = config.default && withSteps(config.default);
		this.catalogue = catalogue;
		this.ofUpstreams = ofUpstreams;
	}

	find(model: string, { requested, upstream }: PriceHints = {}): Price | undefined {
		const there = upstream === undefined ? undefined : this.at.get(upstream);
		return (
			(there && priceIn(there, model, requested)) ??
			priceIn(this.anywhere, model, requested) ??
			this.ofUpstream(upstream, model) ??
			this.catalogue.find(model, upstream) ??
			(requested === undefined || requested === model ? undefined : this.catalogue.find(requested)) ??
			this.fallback
		);
	}

	private ofUpstream(upstream: string | undefined, model: string): Price | undefined {
		const price = this.ofUpstreams().find((one) => one.upstream === upstream)?.price;
		if (typeof price !== "function") return price;
		const found = price(model);
		return found && isOffered(found) ? found : undefined;
	}
}
