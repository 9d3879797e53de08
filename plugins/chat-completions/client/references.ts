/** Files, stores and spoken answers that a request names by an id of the upstream's account. Nothing of that kind is kept here. */
import {
	asList,
	asRecord,
	type Conversations,
	definedOnly,
	findReference,
	isSpelledOtherwise,
	leadsInside,
	leadsToOwnServer,
	type ModelAsk,
	membersOf,
	type ReferenceFields,
	referenceDenial,
	voiceDenial,
	type WireRecord,
} from "#core";

const fields: ReferenceFields = {
	ids: new Set(["file_id", "file_ids", "container_id"]),
	addresses: new Set(["url", "image_url", "audio_url", "video_url", "file_url", "file_data", "document_url"]),
	leads: leadsInside,
	opaque: new Set(["tool_calls", "function_call", "reasoning_details", "annotations", "metadata"]),
};

/** Stores, containers and servers of vendors' own tools: OpenAI's and xAI's, Zhipu's, StepFun's, Baichuan's, Mistral's. */
const toolFields: ReferenceFields = {
	ids: new Set(
		(
			"file_id file_ids container container_id vector_store_id vector_store_ids collection_ids knowledge_id kb_ids " +
			"library_ids tunnel_id cached_content"
		).split(" "),
	),
	addresses: new Set(["server_url"]),
	leads: leadsToOwnServer,
	opaque: new Set(["parameters"]),
};

const isClients = ({ type = "function" }: WireRecord): boolean => type === "function" || type === "custom";

/** In a tool that the upstream runs, or for all of them, as LiteLLM has it; a cache of Gemini's that it names. */
const referenceOfTools = ({ tools, vector_store_ids, cached_content }: WireRecord) => {
	if (tools === undefined && vector_store_ids === undefined && cached_content === undefined) return undefined;
	const hosted = membersOf(tools).map((tool) => (isClients(tool) ? undefined : tool));
	return findReference({ tools: hosted, vector_store_ids, cached_content }, toolFields, "");
};

/** Qwen reads a system message that is such an address as the file it names. */
const filesInText = /^\s*fileid:\/\//i;

const hasOtherSpelling = (message: WireRecord): boolean => {
	for (const name in message) if (name !== "role" && name !== "content" && isSpelledOtherwise(name)) return true;
	return false;
};

const referenceIn = (messages: readonly unknown[]) => {
	for (let index = 0; index < messages.length; index++) {
		const message = asRecord(messages[index]);
		const { content, audio } = message;
		if (typeof asRecord(audio)["id"] === "string") return { at: `messages[${index}].audio.id`, field: "audio.id" };
		if (typeof content === "string" && filesInText.test(content))
			return { at: `messages[${index}].content`, field: "content" };
		if (typeof content === "string" && !hasOtherSpelling(message)) continue;
		const found = findReference(message, fields, `messages[${index}]`);
		if (found) return found;
	}
	return undefined;
};

/** What a request names of an upstream's account. */
const findIn = (body: WireRecord) => referenceIn(asList(body["messages"])) ?? referenceOfTools(body);

/** Sends requests with such an id to upstreams alone whose account is the token's. Nothing is kept. */
export const references = {
	load(ask: ModelAsk): ModelAsk {
		const found = findIn(ask.body.value);
		const voice = voiceDenial(asRecord(ask.body.value["audio"])["voice"], "audio.voice");
		if (!found && !voice) return ask;
		return { ...ask, ...definedOnly({ onlyUpstream: found && referenceDenial(found), looksUp: voice }) };
	},
} satisfies Conversations;
