/**
 * Which upstreams a request may reach: by the threads, files and containers of an upstream's account that it names, of which
 * nothing is kept here, or because it asks for no answer.
 */
import {
	asList,
	asRecord,
	asText,
	type Conversations,
	type Denial,
	definedOnly,
	deny,
	findReference,
	isRecord,
	leadsInside,
	leadsToOwnServer,
	type ModelAsk,
	type ReferenceFields,
	referenceDenial,
	type WireRecord,
} from "#core";
import { profileHeader } from "../name.ts";
import type { KeptReasoning } from "./kept-reasoning.ts";

const fields: ReferenceFields = {
	ids: new Set(["file_id", "file_ids", "container_id"]),
	addresses: new Set(["url"]),
	leads: leadsInside,
	// A tool's arguments are the model's own words, a citation repeats where a text came from, and a browser's tabs and
	// downloads are told, not read.
	opaque: new Set(["input", "citations", "cache_control", "tabs", "state_changes"]),
};

/** Servers of tools. */
const servers: ReferenceFields = { ...fields, leads: leadsToOwnServer };

/** A container is made anew unless it is named; skills of Anthropic's own are everybody's. */
const containerIn = ({ container }: WireRecord) => {
	const { id, skills } = asRecord(container);
	if (asText(container) || asText(id)) return { at: "container", field: "container" };
	const custom = asList(skills).findIndex((skill) => asRecord(skill)["type"] !== "anthropic");
	return custom === -1 ? undefined : { at: `container.skills[${custom}]`, field: "skill_id" };
};

const withoutProfile = "Leave it out.";

/**
 * A customer of whoever holds the account, to whom the request is put down, and who may be billed for it. Anthropic's SDKs name
 * it in a header.
 */
const profileIn = ({ user_profile_id: profile }: WireRecord) =>
	asText(profile) ? { at: "user_profile_id", field: "user_profile_id", instead: withoutProfile } : undefined;

const profileNamedBy = (headers: Headers) =>
	headers.get(profileHeader) ? { at: profileHeader, field: "user_profile_id", instead: withoutProfile } : undefined;

/** Why a request goes to no upstream whose account serves others too; undefined when it names nothing of an account. */
const foreignReference = (body: WireRecord, headers: Headers): Denial | undefined => {
	const found =
		containerIn(body) ??
		profileIn(body) ??
		profileNamedBy(headers) ??
		findReference(body["messages"], fields, "messages") ??
		findReference(body["system"], fields, "system") ??
		findReference(body["mcp_servers"], servers, "mcp_servers");
	return found && referenceDenial(found);
};

/** An earlier request of the account's is compared with this one: whoever names it learns what the two have in common. */
const notCompared = referenceDenial({
	at: "diagnostics.previous_message_id",
	field: "previous_message_id",
	instead: "Send null, or leave `diagnostics` out.",
});

const comparedIn = ({ diagnostics }: WireRecord): Denial | undefined =>
	asText(asRecord(diagnostics)["previous_message_id"]) ? notCompared : undefined;

/**
 * Threads are conversations that Anthropic's servers hold, so that a request sends only what is new. A request that begins or
 * continues one reaches only an upstream that can; all others refuse it with the code by which Anthropic's own SDKs know to
 * send the whole conversation, and never answer half of one.
 */
const noThreads = deny(
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

const noSummary = deny(
	"unsupported",
	"compaction: this model cannot be asked for a compaction block, and would answer the conversation instead; ask for a summary in a message of the user.",
	{ parameter: "compaction" },
);

/** Why a request that asks for no answer of the usual kind goes to upstreams of this protocol alone. */
const unanswerable = ({ call, body }: ModelAsk): Denial | undefined => {
	if (call.maxOutputTokens === 0) return noAnswer;
	return call.operation === "generate" && isRecord(body.value["compaction"]) ? noSummary : undefined;
};

/**
 * Sends requests that name a thread, a file or a container to upstreams of this protocol alone, and those that only fill its
 * cache or ask for a summary. `reasoning`: puts back the thinking that clients leave out; absent where nothing is kept.
 */
export const createConversations = (reasoning?: KeptReasoning): Conversations => ({
	load(given, token, held) {
		const body = given.body.value;
		const denial = isRecord(body["thread"]) ? noThreads : foreignReference(body, given.headers);
		const only = unanswerable(given);
		const compared = comparedIn(body);
		const ask =
			denial || only || compared
				? { ...given, ...definedOnly({ onlyUpstream: denial, looksUp: compared, onlyProtocol: only }) }
				: given;
		const own = reasoning?.kept.tokens.get(token.id);
		return own === undefined ? ask : (reasoning?.load(ask, own, held) ?? ask);
	},
	...(reasoning && {
		save(ask: ModelAsk, token: { readonly id: string }, answer: unknown): undefined {
			// Without tools nothing was called.
			if (ask.body.value["tools"] !== undefined) reasoning.save(ask, token.id, answer);
		},
	}),
});
