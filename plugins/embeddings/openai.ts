/** OpenAI's embeddings, which most vendors speak too: `POST /embeddings`. */
import { asCount, bytesIn, type Dialect, definedOnly, fieldReaders, jsonMessage, jsonOf, refuseField } from "#core";
import { type Answer, type Asked, batches, type Input, lossesOf, otherFields } from "./asked.ts";
import { atOpenAiPath } from "./openai-path.ts";
import { vectorList, wantsBase64 } from "./vectors.ts";

const { whole, model: modelOf } = fieldReaders(refuseField);

/** The most that one request may hold. */
const limits = { items: 2048, tokens: 250_000 };

const isTokens = (value: unknown): value is readonly number[] =>
	Array.isArray(value) && value.length > 0 && value.every((id) => asCount(id) !== undefined);

const inputsOf = (input: unknown): readonly Input[] => {
	if (typeof input === "string") return [input];
	if (isTokens(input)) return [input];
	if (!Array.isArray(input) || input.length === 0)
		throw refuseField("input", input, "send a text, or a list of at least one.");
	const odd = input.findIndex((one) => typeof one !== "string" && !isTokens(one));
	if (odd !== -1) throw refuseField(`input[${odd}]`, input[odd], "it must be a text, or a list of token ids.");
	return input;
};

const checkEncoding = (value: unknown): void => {
	if (value !== undefined && value !== null && value !== "float" && value !== "base64")
		throw refuseField("encoding_format", value, 'it must be "float" or "base64".');
};

export const openai: Dialect<Asked, Answer> = {
	name: "openai",
	...atOpenAiPath,
	fields: ["input", "dimensions", "encoding_format"],
	read(request) {
		const body = jsonOf(request);
		const model = modelOf(body["model"]);
		const inputs = inputsOf(body["input"]);
		whole(body["dimensions"], "dimensions", 1);
		checkEncoding(body["encoding_format"]);
		const texts = inputs.filter((input) => typeof input === "string");
		const otherTokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
		return { model, stream: false, texts, otherTokens, bound: { inputTokens: bytesIn(request), outputTokens: 0 } };
	},
	decodeRequest(ask) {
		const body = jsonOf(ask);
		return {
			inputs: inputsOf(body["input"]),
			...definedOnly({ dimensions: whole(body["dimensions"], "dimensions", 1) }),
			words: { dimensions: "dimensions" },
			others: otherFields(body, ["model", "input", "dimensions", "encoding_format"]),
		};
	},
	encodeRequest(asked, model) {
		const { dimensions } = asked;
		const messages = batches(asked.inputs, limits).map((input) =>
			// Numbers are what every server of this dialect can answer with.
			jsonMessage("/embeddings", definedOnly({ model, input, dimensions, encoding_format: "float" })),
		);
		return { messages, losses: lossesOf(asked, ["dimensions"]) };
	},
	encodeAnswer(answer, ask, { input: { total } }) {
		const base64 = wantsBase64(jsonOf(ask)["encoding_format"]);
		const usage = { prompt_tokens: total, total_tokens: total };
		return { body: { object: "list", data: vectorList(answer, base64), model: ask.call.model, usage } };
	},
};
