/** What is asked of a reranker, and what it answers, whatever the dialect. */
import {
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	bytesIn,
	deny,
	type EndpointAsk,
	type EndpointCall,
	type EndpointRequest,
	estimateTextTokens,
	Fault,
	fieldReaders,
	isRecord,
	jsonOf,
	type Loss,
	pictureTokens,
	refuseField,
	textBytes,
	type Usage,
	type WireRecord,
} from "#core";

const { whole, model: modelOf } = fieldReaders(refuseField);

export interface Asked {
	readonly query: string;
	readonly documents: readonly string[];
	/** How many are wanted, the best first; all unless said. */
	readonly most?: number;
	/** Fields that only the client's own dialect has a place for. */
	readonly others: readonly string[];
}

interface Result {
	/** The document's place in the request. */
	readonly index: number;
	readonly score: number;
}

/** The best first. */
export type Answer = readonly Result[];

/** A search covers so many documents, one of which is so long, as Cohere counts them; what is longer is several. */
const documentsPerSearch = 100;
const tokensPerDocument = 500;
/** As many as pictures in base64 have at the least for each of their tokens. */
const pictureBytesPerToken = 1000;

/** Its text; undefined for a picture or an object without one. */
const textOf = (document: unknown): string | undefined => asText(document) ?? asText(asRecord(document)["text"]);

const documentsOf = (body: WireRecord): readonly unknown[] => {
	const { documents } = body;
	if (!Array.isArray(documents) || documents.length === 0)
		throw refuseField("documents", documents, "send a list of at least one document.");
	const odd = documents.findIndex((one) => typeof one !== "string" && !isRecord(one));
	if (odd !== -1)
		throw refuseField(`documents[${odd}]`, documents[odd], "it must be a text, or an object with a `text`.");
	return documents;
};

const queryOf = ({ query }: WireRecord): string => {
	if (typeof query === "string" && query !== "") return query;
	throw refuseField("query", query, "send what the documents are to answer.");
};

const searchesFor = (query: number, documents: readonly number[]): number => {
	const pieces = documents.reduce((sum, size) => sum + Math.max(1, Math.ceil((query + size) / tokensPerDocument)), 0);
	return Math.ceil(pieces / documentsPerSearch);
};

/** An object is ranked by all of its fields that are named elsewhere; a picture in it counts for more than its address. */
const bytesOf = (document: unknown): number =>
	typeof document === "string" ? textBytes(document) : textBytes(JSON.stringify(document));

/** `most`: the dialect's name for how many results are wanted. */
export const readRerank = (request: EndpointRequest, most: string): EndpointCall => {
	const body = jsonOf(request);
	const model = modelOf(body["model"]);
	const query = queryOf(body);
	const documents = documentsOf(body);
	whole(body[most], most, 1);
	// A token stands for at least a byte; the query is read with each document.
	const queryBytes = textBytes(query);
	const sizes = documents.map(bytesOf);
	const pictures = documents.filter((one) => textOf(one) === undefined).length;
	return {
		model,
		stream: false,
		texts: [query, ...documents.map((one) => textOf(one) ?? "")],
		bound: {
			inputTokens: bytesIn(request) + queryBytes * documents.length + pictures * pictureTokens.most,
			outputTokens: 0,
			units: { searches: searchesFor(queryBytes, sizes) },
		},
	};
};

export const decodeRerank = (ask: EndpointAsk, most: string, known: readonly string[]): Asked => {
	const body = jsonOf(ask);
	const documents = documentsOf(body).map((one, at) => {
		const text = textOf(one);
		if (text !== undefined) return text;
		const message =
			"This model's upstream takes texts only; send each document as a text, or as an object with a `text`.";
		throw new Fault(deny("unsupported", message, { parameter: `documents[${at}]` }));
	});
	const wanted = whole(body[most], most, 1);
	return {
		query: queryOf(body),
		documents,
		...(wanted !== undefined && { most: wanted }),
		others: Object.keys(body).filter((name) => !known.includes(name) && body[name] !== null),
	};
};

export const lossesOf = ({ others }: Asked): readonly Loss[] =>
	others.map((path) => ({ path, reason: "this upstream's reranker has no such setting" }));

/** Results of any vendor, checked, the best first, and no more of them than were wanted. */
export const decodeResults = (results: unknown, { documents, most }: Asked): Answer => {
	const found = asList(results).map((one) => {
		const { index, relevance_score: score } = asRecord(one);
		return { index: asCount(index) ?? -1, score: asNumber(score) ?? Number.NaN };
	});
	const isOdd = ({ index, score }: Result): boolean => index < 0 || index >= documents.length || Number.isNaN(score);
	if (found.length === 0 || found.some(isOdd) || new Set(found.map(({ index }) => index)).size !== found.length)
		throw new Fault(
			deny(
				"upstream",
				"The upstream's answer is no order of the documents. Ask again, or ask the operator to look at it.",
			),
		);
	return found.sort((one, other) => other.score - one.score).slice(0, most);
};

/** The text of a document as the client sent it. */
export const documentAt = (ask: EndpointAsk, index: number): string =>
	textOf(asList(jsonOf(ask)["documents"])[index]) ?? "";

/** What the answers of all three say: searches, tokens, or both. Searches that are not told are counted, where tokens are. */
export const told = (body: unknown, ask: EndpointAsk): Usage | undefined => {
	const { meta, usage } = asRecord(body);
	const billed = asRecord(asRecord(meta)["billed_units"]);
	// Zero is no count: a request that was answered is one search at least.
	const searches = asCount(billed["search_units"]) || undefined;
	const tokens = asCount(asRecord(usage)["total_tokens"]) || asCount(billed["input_tokens"]) || undefined;
	if (searches === undefined && tokens === undefined) return undefined;
	return {
		input: { total: tokens ?? 0 },
		output: { total: 0 },
		units: { searches: searches ?? estimate(ask).units?.searches ?? 1 },
	};
};

/** For clients that are billed by tokens: an upstream that bills searches tells of none, and read some all the same. */
export const shownTokens = (ask: EndpointAsk, told: number): number => told || estimate(ask).input.total;

/** An object is ranked by all of its texts, as `bytesOf` has it; a picture in the place of a text is no text of its length. */
const tokensOf = (document: unknown): number => {
	if (typeof document === "string") return estimateTextTokens(document);
	const written = JSON.stringify(document);
	return textOf(document) === undefined
		? Math.max(pictureTokens.usual, Math.ceil(written.length / pictureBytesPerToken))
		: estimateTextTokens(written);
};

export const estimate = (ask: EndpointAsk): Usage => {
	const query = estimateTextTokens(ask.call.texts[0] ?? "");
	const documents = asList(jsonOf(ask)["documents"]).map(tokensOf);
	const total = documents.reduce((sum, tokens) => sum + tokens + query, 0);
	return { input: { total }, output: { total: 0 }, units: { searches: searchesFor(query, documents) } };
};
