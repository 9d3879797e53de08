/** Files, caches and stores that a request names by an id of the upstream's account. Nothing of that kind is kept here. */
import { type Conversations, findReference, leadsInside, type ReferenceFields, referenceDenial } from "#core";
import { bothSpellings } from "../fields.ts";

const fields: ReferenceFields = {
	ids: bothSpellings(
		"cachedContent",
		"fileSearchStoreNames",
		"datastore",
		"engine",
		"ragCorpus",
		"ragFileIds",
		"interactionId",
		"previousInteractionId",
	),
	addresses: bothSpellings("fileUri"),
	// Without a scheme it is the name of a file: `files/…`.
	leads: (address) => !/^https?:/i.test(address) || leadsInside(address),
	opaque: bothSpellings("args", "response", "functionDeclarations", "generationConfig", "inlineData", "labels"),
};

/** Sends requests with such an id to upstreams alone whose account is the token's. Nothing is kept. */
export const references: Conversations = {
	load(ask) {
		const found = findReference(ask.body.value, fields, "");
		return found ? { ...ask, onlyUpstream: referenceDenial(found) } : ask;
	},
};
