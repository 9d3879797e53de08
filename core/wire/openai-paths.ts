/** The addresses at which OpenAI's clients call one route: its own, Azure's, and Google's for them. */
import type { FormBody } from "../contract/endpoint.ts";
import type { JsonBody } from "../contract/json-body.ts";
import { withText } from "./form.ts";
import { changeJsonBody } from "./json-body.ts";

/**
 * What stands before a route that is no model's: what was made earlier is asked for by its id.
 *
 * @example
 * openAiRoots.map((root) => `${root}/responses/:id`)
 */
export const openAiRoots = ["/v1", "", "/openai/v1", "/openai", "/v1beta/openai"] as const;

/**
 * @example
 * openAiPaths("/embeddings") // "/v1/embeddings", "/embeddings", "/openai/deployments/:deployment/embeddings" …
 */
export const openAiPaths = (path: string): readonly string[] => [
	...openAiRoots.map((root) => root + path),
	`/openai/deployments/:deployment${path}`,
];

/** The body with the model that the address names, as Azure's do: it goes before the one of the body. */
export const withDeployment = (body: JsonBody, deployment: string): JsonBody =>
	body.value["model"] === deployment ? body : changeJsonBody(body, { model: deployment });

/** The same of a form, which may name no model of its own. */
export const formWithDeployment = (form: FormBody, { deployment }: Readonly<Record<string, string>>): FormBody =>
	deployment === undefined ? form : withText(form, "model", deployment);
