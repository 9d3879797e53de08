/** What is the same whichever vendor is asked. */
import { bearer, type Dialect, openAiFailure } from "#core";
import { type Answer, type Asked, estimate, told } from "./asked.ts";
import { renderDenial } from "./denial.ts";

export const rerankDialect = {
	body: "json",
	renderDenial,
	path: () => "/rerank",
	headers: bearer,
	decodeError: openAiFailure,
	observe: told,
	estimate,
} satisfies Partial<Dialect<Asked, Answer>>;
