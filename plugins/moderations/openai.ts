/** OpenAI's moderations: `POST /moderations`. Bytes go as they came, with the name of the model. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	bearer,
	bytesIn,
	type Dialect,
	jsonOf,
	openAiFailure,
	openAiPaths,
	refuseField,
	renderOwnDenial,
} from "#core";

/** The words of a text, of a list of texts, or of a list of parts. */
const textsOf = (input: unknown): readonly string[] => {
	if (typeof input === "string") return [input];
	const items = asList(input);
	if (items.length === 0) throw refuseField("input", input, "send a text, or a list of texts or parts.");
	return items.map((item, at) => {
		const text = asText(item) ?? asText(asRecord(item)["text"]);
		if (text !== undefined) return text;
		if (asRecord(item)["image_url"] !== undefined) return "";
		throw refuseField(`input[${at}]`, item, "it must be a text, or a part of type text or image_url.");
	});
};

/** `usual`: the model of a request that names none. */
export const createOpenAi = (usual: string): Dialect => ({
	name: "openai",
	paths: openAiPaths("/moderations"),
	body: "json",
	fields: ["input"],
	renderDenial: renderOwnDenial,
	read(request) {
		const { model: named, input } = jsonOf(request);
		const model = named ?? usual;
		if (typeof model !== "string" || model === "") throw refuseField("model", model, "it must be the name of a model.");
		const texts = textsOf(input);
		return { model, stream: false, texts, bound: { inputTokens: bytesIn(request), outputTokens: 0 } };
	},
	path: () => "/moderations",
	headers: bearer,
	decodeError: openAiFailure,
	observe(body) {
		const { prompt_tokens: prompt, total_tokens: all } = asRecord(asRecord(body)["usage"]);
		const total = asCount(prompt) ?? asCount(all);
		return total === undefined ? undefined : { input: { total }, output: { total: 0 } };
	},
});
