/** OpenAI's Responses, for clients and for upstreams: `/v1/responses`, and the answers that are kept for its clients. */
import { add, clock, definePlugin, jobs, maybe, protocols, router, routes, store, t, tables } from "#core";
import { tokenOwnership } from "../tokens/service.ts";
import { createSealedSummaries } from "./compaction/sealed-summaries.ts";
import { AnswerRoom } from "./conversations/answer-room.ts";
import { AnswerStore } from "./conversations/answer-store.ts";
import { createConversations } from "./conversations/conversations.ts";
import { createTeller } from "./conversations/delete-upstream.ts";
import { stateRoutes } from "./conversations/state-routes.ts";
import { createResponses } from "./protocol.ts";
import { responsesTables } from "./tables.ts";

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;

export default definePlugin({
	name: "responses",
	summary: "Speaks OpenAI's Responses with clients and with upstreams, and keeps answers that clients go on from.",
	config: t.Object(
		{
			retentionDays: t.Integer({
				minimum: 0,
				maximum: 3650,
				default: 30,
				description:
					"Days an answer is kept after it, or one that goes on from it, was made. 0 keeps none: then `previous_response_id` finds nothing.",
			}),
			conversationBytes: t.Integer({
				minimum: 1024,
				default: 32 * mebibyte,
				description:
					"The largest conversation that is put together from kept answers, in bytes of their inputs and outputs; a longer one is refused.",
			}),
			keptBytesPerToken: t.Integer({
				minimum: 1024,
				default: 256 * mebibyte,
				description: "Bytes of answers kept for one token; the oldest leave first.",
			}),
			keptBytes: t.Integer({
				minimum: 1024,
				default: 4096 * mebibyte,
				description:
					"Bytes of answers kept in all; the oldest of those who keep the most leave first, and the log warns at nine tenths.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { store, clock, router: maybe(router), tokens: maybe(tokenOwnership) },
	gives: [protocols, routes, tables, jobs],
	setup({ name, config, needs, log }) {
		const retentionMs = config.retentionDays * dayMs;
		const { keptBytesPerToken: perToken, keptBytes: total, conversationBytes } = config;
		const room = new AnswerRoom(needs.store, { perToken, total }, log, needs.tokens);
		const all = new AnswerStore({ store: needs.store, room, conversationBytes });
		const answers = retentionMs > 0 ? all : undefined;
		const summaries = createSealedSummaries(needs.store);
		const conversations = createConversations({ answers, summaries, clock: needs.clock, log });
		const protocol = createResponses({
			conversations,
			summaries,
			stores: answers !== undefined,
			now: () => Math.floor(needs.clock.now() / 1000),
		});
		const prune = (signal: AbortSignal): Promise<void> => all.prune(needs.clock.now() - retentionMs, signal);
		const tellUpstream = createTeller(needs.router, needs.clock, log);
		return {
			offers: [
				add(protocols, protocol),
				add(tables, responsesTables(name)),
				add(jobs, { name: "responses: forget old answers", schedule: "41 * * * *", removes: "old", run: prune }),
				...stateRoutes(answers && { answers, clock: needs.clock, tellUpstream }).map((route) => add(routes, route)),
			],
		};
	},
});
