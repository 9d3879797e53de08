/** The settings of the kind `music`. */
import { type Static, t } from "#core";

export const upstreamSetting = t.Object(
	{
		name: t.String({ description: "What this upstream is called in logs and prices." }),
		type: t.Union([t.Literal("suno-api"), t.Literal("elevenlabs")], { description: "How it is spoken to." }),
		url: t.String({ description: "Its base address: https://api.elevenlabs.io." }),
		key: t.Optional(t.String({ secret: true, description: "Portico's key there." })),
		models: t.Array(t.String(), {
			description: "Models it does, `*` standing for any text. Suno's clients ask for `chirp-…`.",
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
	{ upstreams: t.Optional(t.Array(upstreamSetting, { default: [], description: "Where songs are made." })) },
	{ additionalProperties: false },
);
