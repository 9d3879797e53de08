/** Voyage's rerank: `POST /v1/rerank`, with names of its own. */
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
	shownTokens,
	told,
} from "./asked.ts";
import { renderDenial } from "./denial.ts";

const most = "top_k";
const own = [most, "truncation"];

export const voyage: Dialect<Asked, Answer> = {
	name: "voyage",
	paths: ["/v1/rerank", "/rerank"],
	body: "json",
	fields: ["query", "documents", most],
	renderDenial,
	// Its client says who it is; what it asks may look like anybody's.
	claims: (request) =>
		request.headers.get("x-fern-sdk-name") === "voyageai" || own.some((name) => Object.hasOwn(jsonOf(request), name)),
	read: (request) => readRerank(request, most),
	path: () => "/rerank",
	headers: bearer,
	decodeError: openAiFailure,
	observe: told,
	estimate,
	decodeRequest: (ask) => decodeRerank(ask, most, ["model", "query", "documents", ...own, "return_documents"]),
	encodeRequest(asked, model) {
		const { query, documents } = asked;
		const message = jsonMessage("/rerank", definedOnly({ model, query, documents, top_k: asked.most }));
		return { messages: [message], losses: lossesOf(asked) };
	},
	decodeAnswer: ([body], asked) => decodeResults((body as { readonly data?: unknown } | null)?.data, asked),
	encodeAnswer(answer, ask, { input }) {
		const full = jsonOf(ask)["return_documents"] === true;
		const data = answer.map(({ index, score }) => ({
			index,
			relevance_score: score,
			...(full && { document: documentAt(ask, index) }),
		}));
		return {
			body: { object: "list", data, model: ask.call.model, usage: { total_tokens: shownTokens(ask, input.total) } },
		};
	},
};
