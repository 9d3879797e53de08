/** Anthropic's Messages API, for clients and for upstreams: `/v1/messages`, its token count, and lists of models. */
import { add, clock, definePlugin, protocols, t } from "#core";
import { KeptReasoning } from "./client/kept-reasoning.ts";
import { createConversations } from "./client/references.ts";
import { createMessages } from "./protocol.ts";

export default definePlugin({
	name: "messages",
	summary: "Speaks Anthropic's Messages API with clients and with upstreams.",
	config: t.Object(
		{
			betas: t.Optional(
				t.Array(t.String({ minLength: 1 }), {
					description:
						"Betas of the header `anthropic-beta` that are forwarded when client and upstream both speak this protocol: names, or patterns with `*`; all unless said. What is not listed is taken out, together with the body fields it brings along.",
				}),
			),
		},
		{ additionalProperties: false },
	),
	needs: { clock },
	gives: [protocols],
	setup: ({ config: { betas = ["*"] }, needs }) => ({
		offers: [
			add(protocols, createMessages({ betas, conversations: createConversations(new KeptReasoning(needs.clock)) })),
		],
	}),
});
