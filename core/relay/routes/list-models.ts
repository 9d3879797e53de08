/** `GET` routes that list models: one per path, answered in the shape of the protocol whose client asks. */

import type { Identified } from "../../contract/call.ts";
import { deny, Fault } from "../../contract/fault.ts";
import type { ModelInfo, ModelListing } from "../../contract/model-listing.ts";
import type { Protocol } from "../../contract/protocol.ts";
import type { Route } from "../../contract/route.ts";
import type { Router } from "../../contract/router.ts";
import { type RulesOf, showsModel } from "../policies/token-rules.ts";
import { notServed } from "./not-served.ts";

/** What is not properly percent-encoded is the name of no model. */
const decoded = (name: string): string => {
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
};

interface Listed {
	readonly protocol: Protocol;
	readonly listing: ModelListing;
}

/** What this token may see, by every policy's word. */
const visible = (models: readonly ModelInfo[], call: Identified, rulesOf: RulesOf): readonly ModelInfo[] => {
	const rules = rulesOf(call.token);
	return models.filter((model) => showsModel(rules, model));
};

export const modelRoutes = (protocols: readonly Protocol[], rulesOf: RulesOf, router: Router): readonly Route[] => {
	const listed = protocols.flatMap((protocol): Listed[] => {
		const listing = protocol.client.models;
		return listing ? [{ protocol, listing }] : [];
	});

	const claimant = (candidates: readonly Listed[], request: Request, url: URL): Listed => {
		const claimed = candidates.find(({ protocol }) => protocol.client.claims?.(request.headers, url));
		const chosen = claimed ?? candidates.find(({ listing }) => listing.fallback) ?? candidates[0];
		if (!chosen) throw new Fault(notServed(request));
		return chosen;
	};

	const routesFor = (
		paths: (listing: ModelListing) => readonly string[],
		answer: (listed: Listed, call: Identified) => unknown | Promise<unknown>,
	): Route[] => {
		const all = [...new Set(listed.flatMap(({ listing }) => paths(listing)))];
		return all.map((path) => {
			const candidates = listed.filter(({ listing }) => paths(listing).includes(path));
			const only = candidates.length === 1 ? candidates[0] : undefined;
			const shape = only
				? { renderDenial: only.protocol.client.renderDenial }
				: {
						shapeFor: (request: Request) =>
							claimant(candidates, request, new URL(request.url)).protocol.client.renderDenial,
					};
			return {
				method: "GET",
				path,
				access: "token",
				protocol: "models",
				summary: "The models this token may use.",
				keyInQuery: candidates.some(({ protocol }) => protocol.client.keyInQuery === true),
				...shape,
				handle: async (call) => Response.json(await answer(claimant(candidates, call.request, call.url), call)),
			} satisfies Route;
		});
	};

	const item = ({ listing }: Listed, call: Identified): unknown => {
		const name = decoded(call.params["*"] ?? "");
		const model = router.model(name);
		const [shown] = model ? visible([model], call, rulesOf) : [];
		if (!shown)
			throw new Fault(
				deny("model_not_found", `The model "${name.slice(0, 128)}" does not exist or this token may not use it.`, {
					parameter: "model",
				}),
			);
		return listing.item(shown);
	};

	return [
		...routesFor(
			(listing) => listing.listPaths,
			async ({ listing }, call) => {
				const models = (await router.listed?.()) ?? router.models();
				return listing.list(visible(models, call, rulesOf), call.url);
			},
		),
		...routesFor((listing) => listing.itemPaths, item),
	];
};
