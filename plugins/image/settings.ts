/** The settings of the kind `image`. */
import { type Static, t } from "#core";

export const upstreamSetting = t.Object(
	{
		name: t.String({ description: "What this upstream is called in logs and prices." }),
		type: t.Union([t.Literal("midjourney-proxy"), t.Literal("openai-images"), t.Literal("gemini-images")], {
			description: "How it is spoken to.",
		}),
		url: t.String({
			description: "Its base address, for OpenAI's and Google's with the version: https://api.openai.com/v1.",
		}),
		key: t.Optional(t.String({ secret: true, description: "Portico's key there." })),
		models: t.Array(t.String(), {
			description: "Models it does, `*` standing for any text. Midjourney's clients ask for `midjourney`.",
		}),
		rename: t.Optional(
			t.Record(t.String(), t.String(), { description: "Its own names for models, by the name clients ask for." }),
		),
		tenancy: t.Optional(
			t.Union([t.Literal("shared"), t.Literal("single")], {
				default: "shared",
				description:
					"shared: its account serves several tokens, so what a request names there must be its token's own. single: all tokens that reach it are one client's, whose ids are forwarded.",
			}),
		),
		concurrency: t.Optional(
			t.Integer({ minimum: 1, default: 8, description: "Requests that may be under way at once." }),
		),
		timeoutMinutes: t.Optional(
			t.Number({ minimum: 0.1, description: "After so many minutes a task has failed; 10 unless said." }),
		),
	},
	{ additionalProperties: false },
);

export type UpstreamSetting = Static<typeof upstreamSetting>;

export const settings = t.Object(
	{
		upstreams: t.Optional(t.Array(upstreamSetting, { default: [], description: "Where pictures are made." })),
		waitSeconds: t.Optional(
			t.Number({ minimum: 1, default: 300, description: "How long a client of /v1/images is let wait." }),
		),
		defaultModel: t.Optional(
			t.String({
				default: "gpt-image-1",
				description: "The model of clients of /v1/images that name none.",
			}),
		),
	},
	{ additionalProperties: false },
);
