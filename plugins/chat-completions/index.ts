/** OpenAI's Chat Completions, for clients and for upstreams: `/v1/chat/completions`, `/v1/models`. */
import { add, clock, definePlugin, protocols, t } from "#core";
import { createKeptReasoning } from "./client/kept-reasoning.ts";
import { chatCompletions } from "./protocol.ts";

export default definePlugin({
	name: "chat-completions",
	summary: "Speaks OpenAI's Chat Completions with clients and with upstreams.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { clock },
	gives: [protocols],
	setup: ({ needs }) => ({
		offers: [add(protocols, { ...chatCompletions, conversations: createKeptReasoning(needs.clock) })],
	}),
});
