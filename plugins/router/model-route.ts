/** `GET /admin/models`: what each name leads to, and what it costs there. */
import type { AdminRoute, ModelCapabilities } from "#core";
import type { Prices } from "../prices/service.ts";
import type { ModelSetting } from "./settings.ts";

interface ModelRouteParts {
	readonly models: readonly ModelSetting[];
	/** Without it nothing is known of prices. */
	readonly prices: Prices | undefined;
	capabilitiesOf(name: string): ModelCapabilities | undefined;
}

export const modelRoute = ({ models, prices, capabilitiesOf }: ModelRouteParts): AdminRoute => {
	/** A pattern has no price of its own: it depends on the name that is asked for. */
	const priceOf = (name: string, upstream: string, model: string | undefined) =>
		(model ?? name).includes("*") ? undefined : prices?.find(model ?? name, { upstream, requested: name });

	return {
		method: "GET",
		path: "/admin/models",
		access: "admin",
		query: [],
		summary: "The configured models: where each name leads, and what it costs there.",
		handle: () =>
			Response.json({
				data: models.map(({ name, targets, translation = "lossy" }) => ({
					name,
					translation,
					capabilities: name.includes("*") ? undefined : capabilitiesOf(name),
					targets: targets.map(({ upstream, model, weight }) => ({
						upstream,
						model,
						weight,
						price: priceOf(name, upstream, model),
					})),
				})),
			}),
	};
};
