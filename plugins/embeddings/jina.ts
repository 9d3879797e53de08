/** Jina's embeddings: `POST /embeddings`, at OpenAI's path, with fields of its own. */
import {
	asBoolean,
	asList,
	asRecord,
	asText,
	bytesIn,
	type Dialect,
	definedOnly,
	deny,
	Fault,
	fieldReaders,
	isRecord,
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
	mediaTokens,
	otherFields,
	type Purpose,
	refuseOtherTypes,
	textsOf,
} from "./asked.ts";
import { atOpenAiPath } from "./openai-path.ts";
import { vectorList } from "./vectors.ts";

const { whole, model: modelOf } = fieldReaders(refuseField);

const limits = { items: 512 };

const own = ["task", "embedding_type", "normalized", "late_chunking", "truncate", "return_multivector"];
const known = ["model", "input", "dimensions", "encoding_format", "task", "embedding_type", "truncate", "normalized"];

/** Tasks of several generations of models by the same purposes. */
const purposes = lookup<Purpose>({
	"retrieval.query": "query",
	"retrieval.passage": "document",
	"text-matching": "similarity",
	classification: "classification",
	separation: "clustering",
	"code.query": "code",
	"nl2code.query": "code",
});
const tasks: Readonly<Record<Purpose, string>> = {
	query: "retrieval.query",
	document: "retrieval.passage",
	similarity: "text-matching",
	classification: "classification",
	clustering: "separation",
	question: "retrieval.query",
	fact: "retrieval.query",
	code: "code.query",
};

const itemsOf = (input: unknown): readonly unknown[] => {
	const items = typeof input === "string" ? [input] : asList(input);
	if (items.length === 0) throw refuseField("input", input, "send a text, or a list of at least one.");
	return items;
};

/** A text stands alone or in an object; other things in objects are pictures and documents. */
const textOf = (item: unknown): string | undefined => asText(item) ?? asText(asRecord(item)["text"]);

const typesOf = (type: unknown): readonly unknown[] => (Array.isArray(type) ? type : type ? [type] : []);

export const jina: Dialect<Asked, Answer> = {
	name: "jina",
	...atOpenAiPath,
	claims(request) {
		const body = jsonOf(request);
		return own.some((name) => Object.hasOwn(body, name)) || asList(body["input"]).some(isRecord);
	},
	read(request) {
		const body = jsonOf(request);
		const model = modelOf(body["model"]);
		const items = itemsOf(body["input"]);
		const texts = items.map(textOf).filter((text) => text !== undefined);
		whole(body["dimensions"], "dimensions", 1);
		const media = items.filter((item) => textOf(item) === undefined);
		const { most, about } = mediaTokens(media);
		return {
			model,
			stream: false,
			texts,
			otherTokens: about,
			bound: { inputTokens: bytesIn(request) + most, outputTokens: 0 },
		};
	},
	decodeRequest(ask) {
		const body = jsonOf(ask);
		refuseOtherTypes("embedding_type", typesOf(body["embedding_type"]));
		const inputs = itemsOf(body["input"]).map((item, at) => {
			const text = textOf(item);
			if (text !== undefined) return text;
			const message = "This model's upstream takes texts only; ask a model of Jina's, or leave out what is no text.";
			throw new Fault(deny("unsupported", message, { parameter: `input[${at}]` }));
		});
		return {
			inputs,
			...definedOnly({
				dimensions: whole(body["dimensions"], "dimensions", 1),
				purpose: purposes[asText(body["task"]) ?? ""],
				truncate: asBoolean(body["truncate"]),
			}),
			words: { dimensions: "dimensions", purpose: "task", truncate: "truncate" },
			others: otherFields(body, known),
		};
	},
	encodeRequest(asked, model) {
		const { dimensions, purpose, truncate } = asked;
		const task = purpose && tasks[purpose];
		const messages = batches(textsOf(asked), limits).map((input) =>
			jsonMessage("/embeddings", definedOnly({ model, input, task, dimensions, truncate })),
		);
		return { messages, losses: lossesOf(asked, ["dimensions", "purpose", "truncate"]) };
	},
	encodeAnswer(answer, ask, { input: { total } }) {
		const base64 = typesOf(jsonOf(ask)["embedding_type"])[0] === "base64";
		const usage = { prompt_tokens: total, total_tokens: total };
		return { body: { object: "list", data: vectorList(answer, base64), model: ask.call.model, usage } };
	},
};
