/** OpenAI's text completions: `POST /completions`; Mistral's for filling in the middle, `/fim/completions`, differ in their path. */
import {
	asList,
	asRecord,
	asText,
	bearer,
	bytesIn,
	type Dialect,
	type EndpointAsk,
	type EndpointRequest,
	editJsonBody,
	fieldReaders,
	jsonOf,
	openAiFailure,
	openAiPaths,
	refuseField,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import { asksForUsage, decodeUsage, otherStreamOptions } from "../chat-completions/service.ts";
import { Observer, wholeUsage } from "./observe.ts";
import { StreamNames } from "./restore.ts";

const { flag, whole, model: modelOf } = fieldReaders(refuseField);

/** What OpenAI gives to a request without a limit. */
const usualTokens = 16;
/** Mistral gives as many as it likes: a limit that is known is set. */
const fillTokens = 4096;

const isFill = ({ url }: Pick<EndpointRequest, "url">): boolean => url.pathname.endsWith("/fim/completions");

const limitOf = (request: EndpointRequest): number | undefined => whole(jsonOf(request)["max_tokens"], "max_tokens", 0);

const usualLimit = (request: EndpointRequest): number => (isFill(request) ? fillTokens : usualTokens);

const isTokens = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && typeof value[0] === "number";

/** One prompt is a text or the ids of its tokens; several are a list of either. */
const promptsOf = (prompt: unknown): readonly unknown[] => {
	if (typeof prompt === "string" || isTokens(prompt)) return [prompt];
	const prompts = asList(prompt);
	const odd = prompts.findIndex((one) => typeof one !== "string" && !isTokens(one));
	if (prompts.length > 0 && odd === -1) return prompts;
	throw refuseField("prompt", prompt, "send a text, or a list of texts.");
};

/** How many more prompts vLLM is given as vectors, each of which it answers too. */
const embedded = ({ prompt_embeds: given }: WireRecord): number =>
	Array.isArray(given) ? given.length : Number(given !== undefined && given !== null);

/** Mistral's words stand in a message. */
const hasText = (body: unknown): boolean =>
	asList(asRecord(body)["choices"]).some((one) => {
		const { text, message } = asRecord(one);
		return Boolean(text || asRecord(message)["content"]);
	});

/** Usage is asked for where it would not come: without it nobody knows what a stream costs. Mistral always sends it. */
const injectsUsage = (ask: EndpointAsk): boolean => ask.call.stream && !isFill(ask) && !asksForUsage(jsonOf(ask));

export const openai: Dialect = {
	name: "openai",
	paths: [...openAiPaths("/completions"), "/v1/fim/completions"],
	body: "json",
	fields: ["prompt", "prompt_embeds", "suffix", "max_tokens", "n", "best_of", "stream", "stream_options"],
	renderDenial: renderOwnDenial,
	read(request) {
		const body = jsonOf(request);
		const model = modelOf(body["model"]);
		const prompts = promptsOf(body["prompt"]);
		const each = limitOf(request) ?? usualLimit(request);
		const answers = Math.max(whole(body["n"], "n", 1, 128) ?? 1, whole(body["best_of"], "best_of", 1, 128) ?? 1);
		const texts = [...prompts, body["suffix"]].map(asText).filter((text) => text !== undefined);
		const all = answers * (prompts.length + embedded(body));
		return {
			model,
			stream: flag(body["stream"], "stream"),
			answers: all,
			texts,
			otherTokens: prompts.reduce((sum: number, prompt) => sum + (Array.isArray(prompt) ? prompt.length : 0), 0),
			bound: { inputTokens: bytesIn(request), outputTokens: each * all },
		};
	},
	path: ({ request }) => (request && isFill(request) ? "/fim/completions" : "/completions"),
	headers: bearer,
	decodeError: openAiFailure,
	observe: (body, ask) => wholeUsage(decodeUsage(asRecord(body)["usage"]), ask, hasText(body)),
	observer: (ask) => new Observer(ask),
	editor: (ask, model) =>
		model !== ask.call.model || injectsUsage(ask)
			? new StreamNames(ask.call.model, model, injectsUsage(ask))
			: undefined,
	passthrough: (ask, model) => {
		const body = jsonOf(ask);
		const edits = {
			...(body["model"] !== model && { model }),
			...(limitOf(ask) === undefined && { max_tokens: usualLimit(ask) }),
			...(injectsUsage(ask) && { stream_options: { ...otherStreamOptions(body), include_usage: true } }),
		};
		return {
			path: openai.path({ model, stream: ask.call.stream, request: ask }),
			headers: { "content-type": "application/json" },
			body: ask.body.type === "json" ? editJsonBody(ask.body.json, edits) : ask.body.form.bytes,
		};
	},
};
