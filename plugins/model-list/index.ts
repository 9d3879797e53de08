/** The plugin `model-list`: a token may be held to some models. */
import { add, definePlugin, type Policy, policies, t } from "#core";
import { type AllowedModels, models, refuseModel } from "./models.ts";

export default definePlugin({
	name: "model-list",
	summary: "Limits a token to the models on its list.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [policies],
	setup: () => {
		const policy: Policy<AllowedModels> = {
			name: "model-list",
			setting: models,
			check: refuseModel,
			shows: (model, allowed) => allowed?.allows(model.name) ?? true,
		};
		return { offers: [add(policies, policy)] };
	},
});
