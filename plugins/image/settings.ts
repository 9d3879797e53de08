/** The settings of the kind `image`. */
import { type Static, t } from "#core";
import { upstreamSettings } from "../tasks/service.ts";

const upstreamSetting = t.Object(
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
		...upstreamSettings(10),
	},
	{ additionalProperties: false },
);

export type UpstreamSetting = Static<typeof upstreamSetting>;

export const settings = t.Object(
	{
		upstreams: t.Array(upstreamSetting, { default: [], description: "Where pictures are made." }),
		waitSeconds: t.Number({ minimum: 1, default: 300, description: "How long a client of /v1/images is let wait." }),
		defaultModel: t.Optional(
			t.String({
				description:
					"The model of clients that name none; unless set gpt-image-1 at /v1/images, and midjourney at /v1/tasks.",
			}),
		),
	},
	{ additionalProperties: false },
);
