/** Voyage's embeddings: `POST /embeddings`, at OpenAI's path, with fields of its own. */
import {
	asBoolean,
	bytesIn,
	type Dialect,
	definedOnly,
	fieldReaders,
	jsonMessage,
	jsonOf,
	lookup,
	refuseField,
} from "#core";
import {
	type Answer,
	type Asked,
	batches,
	lossesOf,
	otherFields,
	type Purpose,
	readTexts,
	refuseOtherTypes,
	textsOf,
} from "./asked.ts";
import { atOpenAiPath } from "./openai-path.ts";
import { vectorList, wantsBase64 } from "./vectors.ts";

const { whole, model: modelOf } = fieldReaders(refuseField);

/** The most that one request may hold, for the models that take the least. */
const limits = { items: 1000, tokens: 100_000 };

const own = ["input_type", "output_dimension", "output_dtype", "truncation"];
const known = ["model", "input", "encoding_format", ...own];

const purposes = lookup<Purpose>({ query: "query", document: "document" });

export const voyage: Dialect<Asked, Answer> = {
	name: "voyage",
	...atOpenAiPath,
	claims: (request) => own.some((name) => Object.hasOwn(jsonOf(request), name)),
	read(request) {
		const body = jsonOf(request);
		const model = modelOf(body["model"]);
		const texts = readTexts(body["input"], "input");
		whole(body["output_dimension"], "output_dimension", 1);
		return { model, stream: false, texts, bound: { inputTokens: bytesIn(request), outputTokens: 0 } };
	},
	decodeRequest(ask) {
		const body = jsonOf(ask);
		const type = body["output_dtype"];
		if (type !== undefined && type !== null) refuseOtherTypes("output_dtype", [type]);
		return {
			inputs: readTexts(body["input"], "input"),
			...definedOnly({
				dimensions: whole(body["output_dimension"], "output_dimension", 1),
				purpose: typeof body["input_type"] === "string" ? purposes[body["input_type"]] : undefined,
				truncate: asBoolean(body["truncation"]),
			}),
			words: { dimensions: "output_dimension", purpose: "input_type", truncate: "truncation" },
			others: otherFields(body, known),
		};
	},
	encodeRequest(asked, model) {
		const { dimensions, purpose, truncate } = asked;
		const type = purpose === "query" || purpose === "document" ? purpose : undefined;
		const messages = batches(textsOf(asked), limits).map((input) =>
			jsonMessage(
				"/embeddings",
				definedOnly({ model, input, input_type: type, output_dimension: dimensions, truncation: truncate }),
			),
		);
		return { messages, losses: lossesOf(asked, ["dimensions", "truncate", ...(type ? (["purpose"] as const) : [])]) };
	},
	encodeAnswer(answer, ask, { input: { total } }) {
		const base64 = wantsBase64(jsonOf(ask)["encoding_format"]);
		const usage = { total_tokens: total };
		return { body: { object: "list", data: vectorList(answer, base64), model: ask.call.model, usage } };
	},
};
