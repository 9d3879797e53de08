/** Voyage's rerank: `POST /v1/rerank`, with names of its own. */
import { asRecord, type Dialect, definedOnly, jsonMessage, jsonOf } from "#core";
import {
	type Answer,
	type Asked,
	decodeRerank,
	decodeResults,
	documentAt,
	lossesOf,
	readRerank,
	shownTokens,
} from "./asked.ts";
import { rerankDialect } from "./rerank-dialect.ts";

const most = "top_k";
const own = [most, "truncation"];

export const voyage: Dialect<Asked, Answer> = {
	name: "voyage",
	paths: ["/v1/rerank", "/rerank"],
	...rerankDialect,
	fields: ["query", "documents", most],
	// Its client says who it is; what it asks may look like anybody's.
	claims: (request) =>
		request.headers.get("x-fern-sdk-name") === "voyageai" || own.some((name) => Object.hasOwn(jsonOf(request), name)),
	read: (request) => readRerank(request, most),
	decodeRequest: (ask) => decodeRerank(ask, most, ["model", "query", "documents", ...own, "return_documents"]),
	encodeRequest(asked, model) {
		const { query, documents } = asked;
		const message = jsonMessage("/rerank", definedOnly({ model, query, documents, top_k: asked.most }));
		return { messages: [message], losses: lossesOf(asked) };
	},
	decodeAnswer: ([body], asked) => decodeResults(asRecord(body)["data"], asked),
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
