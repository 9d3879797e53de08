/** Gemini's embeddings: `:embedContent` for one text, `:batchEmbedContents` for several. */
import {
	asBoolean,
	asCount,
	asList,
	asRecord,
	asText,
	bytesIn,
	type Dialect,
	definedOnly,
	deny,
	type EndpointAsk,
	type EndpointRequest,
	editJsonBody,
	Fault,
	fieldReaders,
	isRecord,
	jsonMessage,
	jsonOf,
	lookup,
	openAiFailure,
	type Protocol,
	refuseField,
	renderOwnDenial,
	type Usage,
	type WireRecord,
} from "#core";
import {
	field,
	listField,
	modelPath,
	ofModality,
	readModelName,
	recordField,
	resourceName,
	roots,
} from "../generate-content/service.ts";
import {
	type Answer,
	type Asked,
	batches,
	lossesOf,
	mediaTokens,
	otherFields,
	type Purpose,
	textsOf,
} from "./asked.ts";
import { refuseFiles } from "./gemini-files.ts";
import { joined, ofLengthOne, written } from "./vectors.ts";

const { whole } = fieldReaders(refuseField);

const limits = { items: 100 };

const verbs = ["embedContent", "batchEmbedContents"];
const known = ["model", "content", "taskType", "task_type", "title", "outputDimensionality", "output_dimensionality"];

const purposes = lookup<Purpose>({
	RETRIEVAL_QUERY: "query",
	RETRIEVAL_DOCUMENT: "document",
	SEMANTIC_SIMILARITY: "similarity",
	CLASSIFICATION: "classification",
	CLUSTERING: "clustering",
	QUESTION_ANSWERING: "question",
	FACT_VERIFICATION: "fact",
	CODE_RETRIEVAL_QUERY: "code",
});
const taskTypes = Object.fromEntries(Object.entries(purposes).map(([type, purpose]) => [purpose, type]));

const isBatch = ({ url }: Pick<EndpointRequest, "url">): boolean => /(?::|%3A)batchEmbedContents$/i.test(url.pathname);

/** The requests of a batch, or the one there is. */
const requestsOf = (request: EndpointRequest): readonly WireRecord[] => {
	const body = jsonOf(request);
	if (!isBatch(request)) return [body];
	const requests = asList(body["requests"]);
	if (requests.length === 0) throw refuseField("requests", body["requests"], "send a list of at least one.");
	const odd = requests.findIndex((one) => !isRecord(one));
	if (odd !== -1) throw refuseField(`requests[${odd}]`, requests[odd], "it must be an object with a `content`.");
	return requests.map(asRecord);
};

const partsOf = (request: WireRecord): readonly unknown[] => {
	const content = field(request, "content");
	if (typeof content === "string") return [{ text: content }];
	const parts = listField(asRecord(content), "parts");
	if (parts.length === 0) throw refuseField("content", content, "send a content with at least one part.");
	return parts;
};

const textIn = (part: unknown): string | undefined => asText(part) ?? asText(asRecord(part)["text"]);

const settingsOf = (request: WireRecord): WireRecord => ({ ...request, ...recordField(request, "embedContentConfig") });

const dimensionsOf = (request: WireRecord): number | undefined =>
	whole(field(settingsOf(request), "outputDimensionality"), "outputDimensionality", 1);

const readGemini = (request: EndpointRequest) => {
	const model = readModelName(request.params["*"] ?? "");
	const parts = requestsOf(request).map((one) => {
		dimensionsOf(one);
		return partsOf(one);
	});
	refuseFiles(jsonOf(request));
	const texts = parts
		.flat()
		.map(textIn)
		.filter((text) => text !== undefined);
	const media = parts.flat().filter((part) => textIn(part) === undefined);
	const { most, about } = mediaTokens(media);
	return {
		model,
		stream: false,
		texts,
		otherTokens: about,
		bound: { inputTokens: bytesIn(request) + most, outputTokens: 0 },
	};
};

const textOf = (request: WireRecord): string =>
	partsOf(request)
		.map((part) => {
			const text = textIn(part);
			if (text !== undefined) return text;
			const message = "This model's upstream takes texts only; ask a model of Gemini's, or leave out what is no text.";
			throw new Fault(deny("unsupported", message, { parameter: "content.parts" }));
		})
		.join("");

/** What all requests of the batch say alike. */
const alike = <T>(requests: readonly WireRecord[], name: string, of: (request: WireRecord) => T): T => {
	const [first, ...rest] = requests.map(of);
	if (rest.some((other) => other !== first))
		throw new Fault(
			deny("unsupported", `This model's upstream takes one \`${name}\` for all texts of a batch; send them apart.`, {
				parameter: `requests.${name}`,
			}),
		);
	return first as T;
};

const decodeGemini = (ask: EndpointAsk): Asked => {
	const requests = requestsOf(ask);
	const type = alike(requests, "taskType", (one) => asText(field(settingsOf(one), "taskType")));
	return {
		inputs: requests.map(textOf),
		...definedOnly({
			dimensions: alike(requests, "outputDimensionality", dimensionsOf),
			purpose: purposes[type ?? ""],
			title: alike(requests, "title", (one) => asText(settingsOf(one)["title"])),
			truncate: alike(requests, "autoTruncate", (one) => asBoolean(field(settingsOf(one), "autoTruncate"))),
		}),
		words: { dimensions: "outputDimensionality", purpose: "taskType", title: "title", truncate: "autoTruncate" },
		others: [...new Set(requests.flatMap((one) => otherFields(one, [...known, "embedContentConfig"])))],
	};
};

const encodeGemini = (asked: Asked, model: string) => {
	const { dimensions, purpose, title } = asked;
	const one = (text: string): WireRecord =>
		definedOnly({
			model: resourceName(model),
			content: { parts: [{ text }] },
			taskType: purpose && taskTypes[purpose],
			title,
			outputDimensionality: dimensions,
		});
	const messages = batches(textsOf(asked), limits).map((texts) =>
		jsonMessage(modelPath(model, "batchEmbedContents"), { requests: texts.map(one) }),
	);
	return { messages, losses: lossesOf(asked, ["dimensions", "purpose", "title"]) };
};

const told = (body: unknown): Usage | undefined => {
	const usage = recordField(asRecord(body), "usageMetadata");
	const total = asCount(field(usage, "promptTokenCount")) || asCount(field(usage, "totalTokenCount"));
	if (!total) return undefined;
	// Vertex AI has another name for it.
	const details = field(usage, "promptTokenDetails") ?? field(usage, "promptTokensDetails");
	const [audio, image, video] = (["AUDIO", "IMAGE", "VIDEO"] as const).map((kind) => ofModality(details, kind));
	return { input: { total, ...definedOnly({ audio, image, video }) }, output: { total: 0 } };
};

const vectorsIn = (body: unknown): readonly unknown[] => {
	const { embedding, embeddings } = asRecord(body);
	const all = embedding === undefined ? asList(embeddings) : [embedding];
	return all.map((one) => asRecord(one)["values"]);
};

/** Gemini leaves vectors that it cut to fewer dimensions shorter than 1; clients of other vendors expect that length. */
const decodeAnswer = (bodies: readonly unknown[], asked: Asked): Answer => {
	const { vectors } = joined(bodies, asked, vectorsIn);
	return { vectors: asked.dimensions === undefined ? vectors : vectors.map(ofLengthOne) };
};

/** The model of the target, wherever the body names one. */
const renamed = ({ body }: EndpointAsk, model: string): string | Uint8Array => {
	if (body.type !== "json") return body.form.bytes;
	const { model: named, requests } = body.json.value;
	const name = resourceName(model);
	const isOther = (one: unknown): boolean => asRecord(one)["model"] !== undefined && asRecord(one)["model"] !== name;
	return editJsonBody(body.json, {
		...(named !== undefined && named !== name && { model: name }),
		...(Array.isArray(requests) &&
			requests.some(isOther) && {
				requests: requests.map((one) => (isOther(one) ? { ...asRecord(one), model: name } : one)),
			}),
	});
};

/** Errors and keys are as the protocol `generate-content` has them, where it is loaded. */
export const createGemini = (protocols: () => readonly Protocol[]): Dialect<Asked, Answer> => {
	const protocol = (): Protocol | undefined => protocols().find(({ name }) => name === "generate-content");
	return {
		name: "gemini",
		paths: roots.flatMap((root) => verbs.map((verb) => `${root}/models/*:${verb}`)),
		keyInQuery: true,
		body: "json",
		renderDenial: (denial, id) => (protocol()?.client.renderDenial ?? renderOwnDenial)(denial, id),
		read: readGemini,
		path: ({ model }) => modelPath(model, "batchEmbedContents"),
		headers: (key) => definedOnly({ "x-goog-api-key": key }),
		decodeError: (status, headers, text) => (protocol()?.upstream.decodeError ?? openAiFailure)(status, headers, text),
		observe: told,
		passthrough: (ask, model) => ({
			path: modelPath(model, isBatch(ask) ? "batchEmbedContents" : "embedContent"),
			headers: { "content-type": "application/json" },
			body: renamed(ask, model),
		}),
		decodeRequest: decodeGemini,
		encodeRequest: encodeGemini,
		decodeAnswer,
		encodeAnswer({ vectors }, ask, { input: { total } }) {
			const values = vectors.map((vector) => ({ values: written(vector, false) }));
			const usageMetadata = { promptTokenCount: total, totalTokenCount: total };
			return { body: isBatch(ask) ? { embeddings: values, usageMetadata } : { embedding: values[0], usageMetadata } };
		},
	};
};
