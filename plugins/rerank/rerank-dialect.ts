/** What is the same whichever vendor is asked. */
import {
	bearer,
	type Denial,
	type Dialect,
	definedOnly,
	jsonMessage,
	openAiFailure,
	type RenderedDenial,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import { type Answer, type Asked, decodeRerank, estimate, lossesOf, readRerank, told } from "./asked.ts";

/** Refusals as the clients of all three read them: `message` for Cohere's, `detail` for Voyage's and Jina's, `error` for all others. */
const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	const { message } = body.error;
	return { status, headers, body: { message, detail: message, ...body } };
};

interface Differing {
	/** The field that says how many results are wanted. */
	readonly most: "top_n" | "top_k";
	/** Fields that no other vendor has. */
	readonly own?: readonly string[];
	/** Fields that its upstreams are always sent. */
	readonly always?: WireRecord;
}

/** Reading, asking and refusing, by the names in which the vendors differ. */
export const rerankDialect = ({ most, own = [], always }: Differing) =>
	({
		body: "json",
		fields: ["query", "documents", most],
		renderDenial,
		path: () => "/rerank",
		headers: bearer,
		decodeError: openAiFailure,
		observe: told,
		estimate,
		read: (request) => readRerank(request, most),
		decodeRequest: (ask) => decodeRerank(ask, most, ["model", "query", "documents", most, "return_documents", ...own]),
		encodeRequest(asked, model) {
			const { query, documents } = asked;
			const fields = definedOnly({ model, query, documents, [most]: asked.most, ...always });
			return { messages: [jsonMessage("/rerank", fields)], losses: lossesOf(asked) };
		},
	}) satisfies Partial<Dialect<Asked, Answer>>;
