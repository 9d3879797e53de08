/** Moderations: whether words and pictures are fit to be shown, as OpenAI's models judge it. */
import { add, definePlugin, endpoints, t } from "#core";
import { createOpenAi } from "./openai.ts";

export default definePlugin({
	name: "moderations",
	summary: "Asks a model whether words and pictures are fit to be shown, as OpenAI's moderation does.",
	config: t.Object(
		{
			model: t.String({
				minLength: 1,
				default: "omni-moderation-latest",
				description: "The model of a request that names none.",
			}),
		},
		{ additionalProperties: false },
	),
	gives: [endpoints],
	setup: ({ config }) => ({
		offers: [
			add(endpoints, {
				name: "moderations",
				usual: "openai",
				defaults: { "chat-completions": "openai" },
				dialects: [createOpenAi(config.model)],
			}),
		],
	}),
});
