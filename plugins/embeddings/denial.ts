/** Refusals as each vendor's clients read them; beside what is theirs stands `error`, which all others read. */
import { type Denial, type RenderedDenial, renderOwnDenial } from "#core";

/** At OpenAI's path, which Voyage's and Jina's clients share: those read `detail`. */
export const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	return { status, headers, body: { detail: body.error.message, ...body } };
};

/** Cohere's read `message`. */
export const renderCohereDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	return { status, headers, body: { message: body.error.message, ...body } };
};
