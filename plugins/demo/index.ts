/** A model inside Portico, so that everything can be tried without an account. */
import { add, clock, definePlugin, protocols, t, upstreams } from "#core";
import { createDemo } from "./upstream.ts";

export default definePlugin({
	name: "demo",
	summary: "An upstream called demo that needs no account and says that it is a demo.",
	config: t.Object(
		{
			wordMs: t.Optional(
				t.Integer({
					minimum: 0,
					maximum: 10_000,
					default: 20,
					description: "Milliseconds between two words of a stream.",
				}),
			),
		},
		{ additionalProperties: false },
	),
	needs: { protocols, clock },
	gives: [upstreams],
	setup: ({ config, needs }) => ({
		offers: [
			add(upstreams, createDemo({ protocols: needs.protocols, clock: needs.clock, wordMs: config.wordMs ?? 20 })),
		],
	}),
});
