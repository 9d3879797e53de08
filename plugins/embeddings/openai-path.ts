/** What OpenAI's dialect, Voyage's and Jina's have in common, which share a path. */
import {
	asCount,
	asRecord,
	bearer,
	type Denial,
	type Dialect,
	openAiFailure,
	openAiPaths,
	type RenderedDenial,
	renderOwnDenial,
	type Usage,
} from "#core";
import type { Answer, Asked } from "./asked.ts";
import { joined, listedVectors } from "./vectors.ts";

/** Clients of Voyage and Jina read `detail`, all others `error`. */
const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	return { status, headers, body: { detail: body.error.message, ...body } };
};

const tokensTold = (body: unknown): Usage | undefined => {
	const { prompt_tokens: prompt, total_tokens: all } = asRecord(asRecord(body)["usage"]);
	const total = asCount(prompt) || asCount(all);
	return total === undefined || total === 0 ? undefined : { input: { total }, output: { total: 0 } };
};

export const atOpenAiPath = {
	paths: openAiPaths("/embeddings"),
	body: "json",
	renderDenial,
	path: () => "/embeddings",
	headers: bearer,
	decodeError: openAiFailure,
	observe: tokensTold,
	decodeAnswer: (bodies, asked) => joined(bodies, asked, listedVectors),
} satisfies Partial<Dialect<Asked, Answer>>;
