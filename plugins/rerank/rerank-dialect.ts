/** What is the same whichever vendor is asked. */
import { bearer, type Denial, type Dialect, openAiFailure, type RenderedDenial, renderOwnDenial } from "#core";
import { type Answer, type Asked, estimate, told } from "./asked.ts";

/** Refusals as the clients of all three read them: `message` for Cohere's, `detail` for Voyage's and Jina's, `error` for all others. */
const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	const { message } = body.error;
	return { status, headers, body: { message, detail: message, ...body } };
};

export const rerankDialect = {
	body: "json",
	renderDenial,
	path: () => "/rerank",
	headers: bearer,
	decodeError: openAiFailure,
	observe: told,
	estimate,
} satisfies Partial<Dialect<Asked, Answer>>;
