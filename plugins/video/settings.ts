/** The settings of the kind `video`. */
import { type Static, t } from "#core";

export const upstreamSetting = t.Object(
	{
		name: t.String({ description: "What this upstream is called in logs and prices." }),
		type: t.Union([t.Literal("kling"), t.Literal("veo"), t.Literal("openai-videos")], {
			description: "How it is spoken to.",
		}),
		url: t.String({
			description:
				"Its base address, for Google's and OpenAI's with the version: https://generativelanguage.googleapis.com/v1beta.",
		}),
		key: t.Optional(
			t.String({
				secret: true,
				description: "Portico's key there; for Kling a ready token, where there is no pair of keys.",
			}),
		),
		accessKey: t.Optional(t.String({ secret: true, description: "Kling's access key." })),
		secretKey: t.Optional(
			t.String({ secret: true, description: "Kling's secret key, which signs a token for each request." }),
		),
		models: t.Array(t.String(), { description: "Models it does, `*` standing for any text." }),
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
			t.Number({ minimum: 0.1, description: "After so many minutes a task has failed; 30 unless said." }),
		),
	},
	{ additionalProperties: false },
);

export type UpstreamSetting = Static<typeof upstreamSetting>;

export const settings = t.Object(
	{ upstreams: t.Optional(t.Array(upstreamSetting, { default: [], description: "Where clips are made." })) },
	{ additionalProperties: false },
);

/** At 5 seconds, then every 10 for two minutes, then every 20. */
export const videoPollDelaysMs = [5000, ...Array.from({ length: 12 }, () => 10_000), 20_000];
