/** Cohere's embeddings: `POST /v2/embed`, and `POST /v1/embed` for older clients. Upstreams are asked as version 2 has it. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	bearer,
	bytesIn,
	type Denial,
	type Dialect,
	definedOnly,
	deny,
	type EndpointAsk,
	type EndpointRequest,
	Fault,
	fieldReaders,
	jsonMessage,
	jsonOf,
	lookup,
	openAiFailure,
	type RenderedDenial,
	refuseField,
	renderOwnDenial,
	type Usage,
	type WireRecord,
} from "#core";
import {
	type Answer,
	type Asked,
	batches,
	lossesOf,
	mediaTokens,
	otherFields,
	type Purpose,
	readTexts,
	refuseOtherTypes,
	textsOf,
} from "./asked.ts";
import { joined, written } from "./vectors.ts";

const { whole, model: modelOf } = fieldReaders(refuseField);

const limits = { items: 96 };

const known = ["model", "texts", "inputs", "input_type", "embedding_types", "output_dimension", "truncate"];

const purposes = lookup<Purpose>({
	search_query: "query",
	search_document: "document",
	classification: "classification",
	clustering: "clustering",
});
const inputTypes: Readonly<Partial<Record<Purpose, string>>> = {
	query: "search_query",
	document: "search_document",
	classification: "classification",
	clustering: "clustering",
	question: "search_query",
	fact: "search_query",
	code: "search_query",
};

/** What is embedded besides plain texts: each a list of parts, of which the texts make one. */
const mixedTexts = (inputs: unknown): readonly (string | undefined)[] =>
	asList(inputs).map((input) => {
		const parts = asList(asRecord(input)["content"]).map(asRecord);
		return parts.every(({ type }) => type === "text")
			? parts.map(({ text }) => asText(text) ?? "").join("\n")
			: undefined;
	});

const readCohere = (request: EndpointRequest) => {
	const body = jsonOf(request);
	const model = modelOf(body["model"]);
	const mixed = mixedTexts(body["inputs"]);
	const media = [...asList(body["images"]), ...asList(body["inputs"]).filter((_, at) => mixed[at] === undefined)];
	const plain = mixed.length + media.length > 0 && !body["texts"] ? [] : readTexts(body["texts"], "texts");
	whole(body["output_dimension"], "output_dimension", 1);
	const texts = [...plain, ...mixed.filter((text) => text !== undefined)];
	const { most, about } = mediaTokens(media);
	return {
		model,
		stream: false,
		texts,
		otherTokens: about,
		bound: { inputTokens: bytesIn(request) + most, outputTokens: 0 },
	};
};

const decodeCohere = (ask: EndpointAsk): Asked => {
	const body = jsonOf(ask);
	refuseOtherTypes("embedding_types", asList(body["embedding_types"]));
	const inputs = body["texts"] ? readTexts(body["texts"], "texts") : mixedTexts(body["inputs"]);
	const texts = inputs.filter((text) => text !== undefined);
	if (texts.length !== inputs.length || asList(body["images"]).length > 0)
		throw new Fault(
			deny(
				"unsupported",
				"This model's upstream takes texts only; ask a model of Cohere's, or leave out the pictures.",
				{
					parameter: body["images"] ? "images" : "inputs",
				},
			),
		);
	const truncate = asText(body["truncate"]);
	return {
		inputs: texts,
		...definedOnly({
			dimensions: whole(body["output_dimension"], "output_dimension", 1),
			purpose: purposes[asText(body["input_type"]) ?? ""],
			truncate: truncate === undefined ? undefined : truncate !== "NONE",
		}),
		words: { dimensions: "output_dimension", purpose: "input_type", truncate: "truncate" },
		others: otherFields(body, known),
	};
};

const encodeCohere = (asked: Asked, model: string) => {
	const { dimensions, purpose = "document", truncate } = asked;
	const messages = batches(textsOf(asked), limits).map((texts) =>
		jsonMessage(
			"/embed",
			definedOnly({
				model,
				texts,
				// Cohere insists on it.
				input_type: inputTypes[purpose] ?? "search_document",
				embedding_types: ["float"],
				output_dimension: dimensions,
				truncate: truncate === undefined ? undefined : truncate ? "END" : "NONE",
			}),
		),
	);
	const taken = inputTypes[purpose] === undefined ? ([] as const) : (["purpose"] as const);
	return { messages, losses: lossesOf(asked, ["dimensions", "truncate", ...taken]) };
};

const told = (body: unknown): Usage | undefined => {
	const { input_tokens: texts, image_tokens: pictures } = asRecord(asRecord(asRecord(body)["meta"])["billed_units"]);
	const total = (asCount(texts) ?? 0) + (asCount(pictures) ?? 0);
	return total === 0
		? undefined
		: { input: { total, ...definedOnly({ image: asCount(pictures) }) }, output: { total: 0 } };
};

/** By type, or as the plain list that the first version gave. */
const vectorsIn = (body: unknown): readonly unknown[] => {
	const { embeddings } = asRecord(body);
	if (Array.isArray(embeddings)) return embeddings;
	const { float, base64 } = asRecord(embeddings);
	return asList(float ?? base64);
};

const typed = ({ vectors }: Answer, types: readonly unknown[]): WireRecord => ({
	...((types.length === 0 || types.includes("float")) && { float: vectors.map((vector) => written(vector, false)) }),
	...(types.includes("base64") && { base64: vectors.map((vector) => written(vector, true)) }),
});

const answered = (ask: EndpointAsk, version: string, { input }: Usage, embeddings: unknown, type: string) => ({
	body: {
		id: crypto.randomUUID(),
		texts: ask.call.texts,
		embeddings,
		meta: { api_version: { version }, billed_units: { input_tokens: input.total } },
		response_type: type,
	},
});

/** Its clients read `message`, all others `error`. */
const renderDenial = (denial: Denial): RenderedDenial => {
	const { status, headers, body } = renderOwnDenial(denial);
	return { status, headers, body: { message: body.error.message, ...body } };
};

const shared = {
	body: "json",
	fields: ["texts", "images", "inputs"],
	renderDenial,
	read: readCohere,
	path: () => "/embed",
	headers: bearer,
	decodeError: openAiFailure,
	observe: told,
	decodeRequest: decodeCohere,
} as const;

export const cohere: Dialect<Asked, Answer> = {
	...shared,
	name: "cohere",
	paths: ["/v2/embed"],
	encodeRequest: encodeCohere,
	decodeAnswer: (bodies, asked) => joined(bodies, asked, vectorsIn),
	encodeAnswer: (answer, ask, usage) =>
		answered(ask, "2", usage, typed(answer, asList(jsonOf(ask)["embedding_types"])), "embeddings_by_type"),
};

/** Upstreams are asked as version 2 has it, so of the first goes on what both have in common. */
const refuseBeyondFirst = (body: WireRecord): void => {
	const isPicture = asList(body["images"]).length > 0;
	const isOther = asList(body["embedding_types"]).some((type) => type !== "float" && type !== "base64");
	if (!isPicture && !isOther) return;
	const message =
		"At /v1/embed texts are made vectors of float or base64; POST /v2/embed has pictures and other types, where the model's upstream is Cohere's.";
	throw new Fault(deny("unsupported", message, { parameter: isPicture ? "images" : "embedding_types" }));
};

/** Version 1, for clients only: without types it answers a plain list. */
export const cohereFirst: Dialect<Asked, Answer> = {
	...shared,
	name: "cohere-v1",
	paths: ["/v1/embed"],
	decodeRequest(ask) {
		refuseBeyondFirst(jsonOf(ask));
		return decodeCohere(ask);
	},
	encodeAnswer(answer, ask, usage) {
		const types = asList(jsonOf(ask)["embedding_types"]);
		if (types.length > 0) return answered(ask, "1", usage, typed(answer, types), "embeddings_by_type");
		const plain = answer.vectors.map((vector) => written(vector, false));
		return answered(ask, "1", usage, plain, "embeddings_floats");
	},
};
