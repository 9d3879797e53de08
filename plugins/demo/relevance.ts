/** The demo's reranker: what part of the question's words stand in a document. */
import { asCount, asList, asRecord, asText, type WireRecord } from "#core";

const wordsIn = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** From 0 to 1. Of two documents with the same words of the question, the shorter is more to the point. */
const relevanceOf = (query: string, document: string): number => {
	const asked = wordsIn(query);
	const said = wordsIn(document);
	if (asked.size === 0 || said.size === 0) return 0;
	const shared = [...asked].filter((word) => said.has(word)).length;
	return (shared / asked.size) * 0.9 + (shared / said.size) * 0.1;
};

const textOf = (document: unknown): string => asText(document) ?? asText(asRecord(document)["text"]) ?? "";

/** As Cohere answers it. */
export const rerank = ({ query, documents, top_n: most }: WireRecord): WireRecord => {
	const results = asList(documents)
		.map((document, index) => ({ index, relevance_score: relevanceOf(textOf(query), textOf(document)) }))
		.sort((one, other) => other.relevance_score - one.relevance_score)
		.slice(0, asCount(most));
	const searches = Math.ceil(asList(documents).length / 100);
	return {
		id: "demo-rerank",
		results,
		meta: { api_version: { version: "2" }, billed_units: { search_units: searches } },
	};
};
