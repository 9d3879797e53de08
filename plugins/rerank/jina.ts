/** Jina's rerank: `POST /v1/rerank`, Cohere's with documents in the answer and tokens on the bill. */
import { asRecord, type Dialect, definedOnly, jsonOf } from "#core";
import { type Answer, type Asked, decodeResults, documentAt, shownTokens } from "./asked.ts";
import { rerankDialect } from "./rerank-dialect.ts";

export const jina: Dialect<Asked, Answer> = {
	name: "jina",
	paths: ["/v1/rerank", "/rerank"],
	// The documents are here already.
	...rerankDialect({ most: "top_n", always: { return_documents: false } }),
	claims: (request) => Object.hasOwn(jsonOf(request), "return_documents"),
	decodeAnswer: ([body], asked) => decodeResults(asRecord(body)["results"], asked),
	/** Clients of Cohere's first version ask for the documents in the same word, and read `id` and `meta`. */
	encodeAnswer(answer, ask, { input, units }) {
		const full = jsonOf(ask)["return_documents"] !== false;
		const results = answer.map(({ index, score }) => ({
			index,
			relevance_score: score,
			...(full && { document: { text: documentAt(ask, index) } }),
		}));
		const meta = { api_version: { version: "1" }, billed_units: definedOnly({ search_units: units?.searches }) };
		const usage = { total_tokens: shownTokens(ask, input.total) };
		return { body: { id: crypto.randomUUID(), model: ask.call.model, object: "list", usage, results, meta } };
	},
};
