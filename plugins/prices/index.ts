/** The plugin `prices`: what models cost. */
import { type Costs, clock, costs, definePlugin, provide } from "#core";
import { Catalogue } from "./catalogue.ts";
import { cost, costBound, isPriced, outputFor, taskCost } from "./cost.ts";
import { priceParts, savedBy } from "./parts.ts";
import { PriceList } from "./price-list.ts";
import { pricesConfig } from "./prices-config.ts";
import { prices, upstreamPrices } from "./service.ts";
import { unknownTier } from "./tiers.ts";

export default definePlugin({
	name: "prices",
	summary: "Knows what models cost, from a maintained data package and from the config.",
	config: pricesConfig,
	needs: { clock, ofUpstreams: upstreamPrices },
	gives: [prices, costs],
	setup: ({ config, needs, log }) => {
		const list = new PriceList(config, new Catalogue(needs.clock, log), needs.ofUpstreams);
		const find = list.find.bind(list);
		const chargeOf: Costs["chargeOf"] = ({ usage, target, tiers }, requested) => {
			if (!usage || !target) return undefined;
			const price = find(target.model, { upstream: target.upstream.name, requested });
			const charged = price && cost(usage, price, tiers);
			return charged === undefined ? {} : { charged };
		};
		return {
			offers: [
				provide(prices, {
					find,
					upstreams: Object.keys(config.upstreams ?? {}),
					cost,
					bound: costBound,
					isPriced,
					parts: priceParts,
					saved: savedBy,
					outputFor,
					taskCost,
					unknownTier,
				}),
				provide(costs, { chargeOf }),
			],
		};
	},
});
