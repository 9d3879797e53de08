/**
 * Threads: conversations that Anthropic's servers hold, so that a request sends only what is new. Portico holds none.
 * A request that begins or continues one reaches only an upstream that can; all others refuse it with the code by which
 * Anthropic's own SDKs know to send the whole conversation, and never answer half of one.
 */
import { type Conversations, deny, isRecord, type WireRecord } from "#core";
import { foreignReference } from "./references.ts";

const refused = deny(
	"unsupported",
	"thread: threads are not supported for this model and token; send the whole conversation in `messages`, without `thread`.",
	{ code: "thread_unsupported_request", parameter: "thread" },
);

/** True when the upstream holds the conversation: `messages` may be empty then, to go on with a paused turn. */
export const continuesThread = ({ thread }: WireRecord): boolean => isRecord(thread) && thread["type"] === "continue";

const noAnswer = deny(
	"unsupported",
	"max_tokens: this model cannot be asked to read a prompt without answering it; give at least 1.",
	{ parameter: "max_tokens" },
);

/** Sends requests that name a thread, a file or a container to upstreams of this protocol alone, and those that only fill its cache. Nothing is kept. */
export const threads: Conversations = {
	load(ask) {
		const body = ask.body.value;
		const denial = isRecord(body["thread"]) ? refused : foreignReference(body);
		const warms = ask.call.maxOutputTokens === 0;
		if (!denial && !warms) return ask;
		return { ...ask, ...(denial && { onlyUpstream: denial }), ...(warms && { onlyProtocol: noAnswer }) };
	},
};
