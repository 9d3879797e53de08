/** Files, caches, stores and servers that a request names, of the upstream's account or network. Nothing of that kind is kept here. */
import {
	type Conversations,
	findReference,
	leadsInside,
	leadsToOwnServer,
	type ReferenceFields,
	referenceDenial,
} from "#core";
import { bothSpellings } from "../fields.ts";

/** In small letters too, as those of another spelling are looked for. */
const anySpelling = (...names: readonly string[]): ReadonlySet<string> =>
	new Set([...bothSpellings(...names), ...names.map((name) => name.toLowerCase())]);

const fields: ReferenceFields = {
	ids: anySpelling(
		"cachedContent",
		"fileSearchStoreNames",
		"datastore",
		"engine",
		"ragCorpus",
		"ragFileIds",
		"interactionId",
		"previousInteractionId",
	),
	addresses: anySpelling("fileUri"),
	// Without a scheme it is the name of a file: `files/…`.
	leads: (address) => !/^https?:/i.test(address) || leadsInside(address),
	opaque: bothSpellings("args", "response", "functionDeclarations", "generationConfig", "inlineData", "labels"),
};

/** Servers of tools: of MCP, and of searches (Vertex AI's `externalApi`). */
const servers: ReferenceFields = { ...fields, addresses: new Set(["url", "endpoint"]), leads: leadsToOwnServer };

/** Sends requests with such an id to upstreams alone whose account is the token's. Nothing is kept. */
export const references: Conversations = {
	load(ask) {
		const { value } = ask.body;
		const found = findReference(value, fields, "") ?? findReference(value["tools"], servers, "tools");
		return found ? { ...ask, onlyUpstream: referenceDenial(found) } : ask;
	},
};
