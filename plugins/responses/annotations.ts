/** Citations: `annotations` of an output text on the wire. Wire offsets count characters, neutral ones UTF-16 units. */
import {
	asCount,
	asList,
	asText,
	type Citation,
	definedOnly,
	isRecord,
	type TokenLogprob,
	type WireRecord,
} from "#core";
import { ContentLength } from "../chat-completions/service.ts";
import { ownBag, ownFields } from "./origin.ts";

/** The citation in a text, of which `content` has been told; undefined for what cannot be understood. */
export const decodeAnnotation = (value: unknown, content: ContentLength): Citation | undefined => {
	if (!isRecord(value)) return undefined;
	const start = asCount(value["start_index"]) ?? asCount(value["index"]);
	const end = asCount(value["end_index"]) ?? start;
	const target =
		start === undefined || end === undefined
			? undefined
			: { start: content.unitsBefore(start), end: content.unitsBefore(end) };
	const url = asText(value["url"]);
	if (url !== undefined) return { kind: "url", url, ...definedOnly({ title: asText(value["title"]), target }) };
	const fileId = asText(value["file_id"]);
	if (fileId === undefined) return undefined;
	return { kind: "file", fileId, ...definedOnly({ title: asText(value["filename"]), target }), extras: ownBag(value) };
};

/** The citations of a whole text; what cannot be understood is passed over. A client may send as many as it likes. */
export const decodeAnnotations = (value: unknown, text: string): readonly Citation[] => {
	const annotations = asList(value);
	if (annotations.length === 0) return [];
	const content = new ContentLength().growTo(text);
	return annotations.flatMap((annotation) => decodeAnnotation(annotation, content) ?? []);
};

/** One annotation; undefined for a citation of something that has neither an address nor a file. */
export const encodeAnnotation = (citation: Citation, content: ContentLength): WireRecord | undefined => {
	const own = ownFields(citation);
	if (own["type"] !== undefined) return own;
	const { start, end } = citation.target ?? { start: 0, end: content.units };
	const span = {
		start_index: content.charactersBefore(start),
		end_index: content.charactersBefore(end),
	};
	if (citation.url !== undefined)
		return { type: "url_citation", ...span, url: citation.url, title: citation.title ?? citation.url };
	if (citation.fileId === undefined) return undefined;
	const filename = citation.title ?? citation.fileId;
	return { type: "file_citation", index: span.start_index, file_id: citation.fileId, filename };
};

/** The annotations of a whole text. */
export const encodeAnnotations = (citations: readonly Citation[], text: string): readonly WireRecord[] => {
	if (citations.length === 0) return [];
	const content = new ContentLength().growTo(text);
	return citations.map((citation) => encodeAnnotation(citation, content)).filter((one) => one !== undefined);
};

const decodeLogprob = (value: unknown): TokenLogprob | undefined => {
	if (!isRecord(value) || typeof value["token"] !== "string" || typeof value["logprob"] !== "number") return undefined;
	const { token, logprob, bytes } = value;
	return {
		token,
		logprob,
		...(Array.isArray(bytes) && { bytes: bytes.filter((byte) => typeof byte === "number") }),
		top: asList(value["top_logprobs"]).flatMap((entry) => decodeLogprob(entry) ?? []),
	};
};

/** Token probabilities of a text. */
export const decodeLogprobs = (values: unknown): readonly TokenLogprob[] =>
	asList(values).flatMap((value) => decodeLogprob(value) ?? []);

const bytesOf = (token: string, bytes: readonly number[] | null | undefined): readonly number[] =>
	bytes ?? [...new TextEncoder().encode(token)];

/** One token's probabilities as the wire has them; bytes are demanded there and can be told from the token. */
export const encodeLogprob = ({ token, logprob, bytes, top }: TokenLogprob): WireRecord => ({
	token,
	logprob,
	bytes: bytesOf(token, bytes),
	top_logprobs: top.map((entry) => ({
		token: entry.token,
		logprob: entry.logprob,
		bytes: bytesOf(entry.token, entry.bytes),
	})),
});
