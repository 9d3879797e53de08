/** Refusals at OpenAI's path as the clients that share it read them: `detail` for Voyage's and Jina's, `error` for all others. */
import { type Denial, type RenderedDenial, renderOwnDenial } from "#core";

export const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	return { status, headers, body: { detail: body.error.message, ...body } };
};
