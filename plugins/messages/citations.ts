/**
 * Citations. Here one belongs to a whole text block and says where in its source; the neutral one says which run of our
 * text it supports, so an answer's text is cut into blocks along the runs.
 */
import { asCount, asRecord, asText, type Citation, definedOnly, type TextBlock, type WireRecord } from "#core";
import { foreignMark, nativeValue, nothingEncrypted, originOf, writeCarried } from "./carried.ts";
import { protocolName } from "./name.ts";

const spans = {
	char_location: ["document_characters", "start_char_index", "end_char_index"],
	page_location: ["document_pages", "start_page_number", "end_page_number"],
	content_block_location: ["document_blocks", "start_block_index", "end_block_index"],
} as const;

const isSpan = (type: string): type is keyof typeof spans => Object.hasOwn(spans, type);

const spanOf = (told: WireRecord, from: string, to: string): Citation["source"] => {
	const start = asCount(told[from]);
	const end = asCount(told[to]);
	return start === undefined || end === undefined ? undefined : { start, end };
};

const titleOf = (title: unknown): string | null | undefined => (title === null ? null : asText(title));

/** `family` is whose answer it stood in. Undefined for a sort that is not known. */
export const decodeCitation = (value: unknown, family: string): Citation | undefined => {
	const told = asRecord(value);
	const type = asText(told["type"]) ?? "";
	const quote = asText(told["cited_text"]);
	if (isSpan(type)) {
		const [kind, from, to] = spans[type];
		const more = {
			documentIndex: asCount(told["document_index"]),
			title: titleOf(told["document_title"]),
			fileId: asText(told["file_id"]),
			source: spanOf(told, from, to),
		};
		return { kind, ...definedOnly({ quote, ...more }) };
	}
	const title = titleOf(told["title"]);
	if (type === "search_result_location") {
		const source = spanOf(told, "start_block_index", "end_block_index");
		const extras = { [protocolName]: { search_result_index: asCount(told["search_result_index"]) ?? 0 } };
		return { kind: "search_result", extras, ...definedOnly({ quote, title, source, url: asText(told["source"]) }) };
	}
	if (type !== "web_search_result_location") return undefined;
	const index = asText(told["encrypted_index"]);
	const own = index !== undefined && index !== "" && !index.startsWith(foreignMark);
	const opaque = own ? { value: index, origin: originOf(family) } : undefined;
	return { kind: "url", ...definedOnly({ quote, title, url: asText(told["url"]), opaque }) };
};

const encodeSpan = (type: keyof typeof spans, citation: Citation): WireRecord => {
	const [, from, to] = spans[type];
	return {
		type,
		cited_text: citation.quote ?? "",
		document_index: citation.documentIndex ?? 0,
		document_title: citation.title ?? null,
		[from]: citation.source?.start ?? 0,
		[to]: citation.source?.end ?? 0,
	};
};

const encodeSearchResult = (citation: Citation): WireRecord => ({
	type: "search_result_location",
	cited_text: citation.quote ?? "",
	source: citation.url ?? "",
	title: citation.title ?? null,
	search_result_index: asCount(citation.extras?.[protocolName]?.["search_result_index"]) ?? 0,
	start_block_index: citation.source?.start ?? 0,
	end_block_index: citation.source?.end ?? 0,
});

const encodeUrl = (citation: Citation, index: string): WireRecord => ({
	type: "web_search_result_location",
	cited_text: citation.quote ?? "",
	url: citation.url ?? "",
	title: citation.title ?? null,
	encrypted_index: index,
});

const encodeDocument = (citation: Citation): WireRecord | undefined => {
	switch (citation.kind) {
		case "document_characters":
			return encodeSpan("char_location", citation);
		case "document_pages":
			return encodeSpan("page_location", citation);
		case "document_blocks":
			return encodeSpan("content_block_location", citation);
		case "search_result":
			return encodeSearchResult(citation);
		default:
			return undefined;
	}
};

/** For a client. Undefined for what has neither an address nor a place in a document. */
export const encodeCitation = (citation: Citation): WireRecord | undefined => {
	const document = encodeDocument(citation);
	if (document) {
		const { fileId } = citation;
		return citation.kind === "search_result" ? document : { ...document, file_id: fileId ?? null };
	}
	if (citation.url === undefined) return undefined;
	const index = citation.opaque ? writeCarried(citation.opaque) : nothingEncrypted;
	return encodeUrl(citation, index);
};

/** For an upstream that is told again what was said: an address counts only with the index its maker encrypted. */
export const replayCitation = (citation: Citation, family: string): WireRecord | undefined => {
	const index = nativeValue(citation.opaque, family);
	if (citation.kind === "url") return index === undefined ? undefined : encodeUrl(citation, index);
	return encodeDocument(citation);
};

/** A run of text with what supports it. */
interface Run {
	readonly text: string;
	readonly citations: readonly Citation[];
}

interface Span {
	readonly start: number;
	end: number;
	readonly citations: Citation[];
}

/** White space by itself makes no block, because upstreams refuse such blocks: it stays with the run before it. */
const cutAlong = (text: string, spans: readonly Span[]): Run[] => {
	const cut: { text: string; citations: readonly Citation[] }[] = [];
	let at = 0;
	const plain = (piece: string): void => {
		const last = cut.at(-1);
		if (last && piece.trim() === "") last.text += piece;
		else if (piece !== "") cut.push({ text: piece, citations: [] });
	};
	for (const { start, end, citations } of spans) {
		plain(text.slice(at, start));
		cut.push({ text: text.slice(start, end), citations });
		at = end;
	}
	plain(text.slice(at));
	return cut;
};

/** The block's text cut along its citations. What cites no run, or an impossible one, cites everything that is left. */
export const runsOf = ({ text, citations = [] }: TextBlock): readonly Run[] => {
	const fits = ({ target }: Citation): boolean =>
		target !== undefined && target.start >= 0 && target.start < target.end && target.end <= text.length;
	const spanned = citations.filter(fits).sort((a, b) => (a.target?.start ?? 0) - (b.target?.start ?? 0));
	const loose = citations.filter((citation) => !fits(citation));
	if (spanned.length === 0) return [{ text, citations: loose }];
	const runs: Span[] = [];
	for (const citation of spanned) {
		const { start = 0, end = 0 } = citation.target ?? {};
		const last = runs.at(-1);
		if (last && start < last.end) {
			last.end = Math.max(last.end, end);
			last.citations.push(citation);
		} else runs.push({ start, end, citations: [citation] });
	}
	const cut = cutAlong(text, runs);
	if (loose.length === 0) return cut;
	const [first = { text: "", citations: [] }, ...others] = cut;
	return [{ ...first, citations: [...first.citations, ...loose] }, ...others];
};
