/** Voyage's rerank: `POST /v1/rerank`, with names of its own. */
import { asRecord, type Dialect, jsonOf } from "#core";
import { type Answer, type Asked, decodeResults, documentAt, shownTokens } from "./asked.ts";
import { rerankDialect } from "./rerank-dialect.ts";

export const voyage: Dialect<Asked, Answer> = {
	name: "voyage",
	paths: ["/v1/rerank", "/rerank"],
	...rerankDialect({ most: "top_k", own: ["truncation"] }),
	// Its client says who it is; what it asks may look like anybody's.
	claims: (request) =>
		request.headers.get("x-fern-sdk-name") === "voyageai" ||
		["top_k", "truncation"].some((name) => Object.hasOwn(jsonOf(request), name)),
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
