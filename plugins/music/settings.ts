/** The settings of the kind `music`. */
import { type Static, t } from "#core";
import { upstreamSettings } from "../tasks/service.ts";

const upstreamSetting = t.Object(
	{
		name: t.String({ description: "What this upstream is called in logs and prices." }),
		type: t.Union([t.Literal("suno-api"), t.Literal("elevenlabs")], { description: "How it is spoken to." }),
		url: t.String({ description: "Its base address: https://api.elevenlabs.io." }),
		key: t.Optional(t.String({ secret: true, description: "Portico's key there." })),
		models: t.Array(t.String(), {
			description: "Models it does, `*` standing for any text. Suno's clients ask for `chirp-…`.",
		}),
		...upstreamSettings(10),
	},
	{ additionalProperties: false },
);

export type UpstreamSetting = Static<typeof upstreamSetting>;

export const settings = t.Object(
	{
		upstreams: t.Array(upstreamSetting, { default: [], description: "Where songs are made." }),
		defaultModel: t.String({ default: "chirp-v3-0", description: "The model of clients that name none." }),
	},
	{ additionalProperties: false },
);
