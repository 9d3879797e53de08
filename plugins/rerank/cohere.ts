/** Cohere's rerank: `POST /v2/rerank`. What vLLM, TEI and most gateways speak. */
import { asRecord, type Dialect, definedOnly, jsonOf } from "#core";
import { type Answer, type Asked, decodeResults, documentAt } from "./asked.ts";
import { rerankDialect } from "./rerank-dialect.ts";

export const cohere: Dialect<Asked, Answer> = {
	name: "cohere",
	paths: ["/v2/rerank", "/v1/rerank", "/rerank"],
	...rerankDialect({ most: "top_n" }),
	decodeAnswer: ([body], asked) => decodeResults(asRecord(body)["results"], asked),
	encodeAnswer(answer, ask, { input, units }) {
		const full = jsonOf(ask)["return_documents"] === true;
		const results = answer.map(({ index, score }) => ({
			index,
			relevance_score: score,
			...(full && { document: { text: documentAt(ask, index) } }),
		}));
		const billed = definedOnly({ search_units: units?.searches, input_tokens: input.total || undefined });
		return {
			body: { id: crypto.randomUUID(), results, meta: { api_version: { version: "2" }, billed_units: billed } },
		};
	},
};
