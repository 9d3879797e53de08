/** Cohere's rerank: `POST /v2/rerank`. What vLLM, TEI and most gateways speak. */
import { bearer, type Dialect, definedOnly, jsonMessage, jsonOf, openAiFailure } from "#core";
import {
	type Answer,
	type Asked,
	decodeRerank,
	decodeResults,
	documentAt,
	estimate,
	lossesOf,
	readRerank,
	told,
} from "./asked.ts";
import { renderDenial } from "./denial.ts";

const most = "top_n";

export const cohere: Dialect<Asked, Answer> = {
	name: "cohere",
	paths: ["/v2/rerank", "/v1/rerank", "/rerank"],
	body: "json",
	fields: ["query", "documents", most],
	renderDenial,
	read: (request) => readRerank(request, most),
	path: () => "/rerank",
	headers: bearer,
	decodeError: openAiFailure,
	observe: told,
	estimate,
	decodeRequest: (ask) => decodeRerank(ask, most, ["model", "query", "documents", most, "return_documents"]),
	encodeRequest(asked, model) {
		const { query, documents } = asked;
		const message = jsonMessage("/rerank", definedOnly({ model, query, documents, top_n: asked.most }));
		return { messages: [message], losses: lossesOf(asked) };
	},
	decodeAnswer: ([body], asked) => decodeResults((body as { readonly results?: unknown } | null)?.results, asked),
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
