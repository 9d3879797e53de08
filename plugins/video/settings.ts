/** The settings of the kind `video`. */
import { type Static, t } from "#core";
import { upstreamSettings } from "../tasks/service.ts";

const upstreamSetting = t.Object(
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
		...upstreamSettings(30),
	},
	{ additionalProperties: false },
);

export type UpstreamSetting = Static<typeof upstreamSetting>;

export const settings = t.Object(
	{
		upstreams: t.Array(upstreamSetting, { default: [], description: "Where clips are made." }),
		defaultModel: t.String({ default: "sora-2", description: "The model of clients that name none." }),
	},
	{ additionalProperties: false },
);

/** At 5 seconds, then every 10 for two minutes, then every 20. */
export const videoPollDelaysMs = [5000, ...Array.from({ length: 12 }, () => 10_000), 20_000];
