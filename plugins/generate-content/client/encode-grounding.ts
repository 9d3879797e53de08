/** Citations and findings as `groundingMetadata`, once for an answer. Spans are given in UTF-8 bytes. */
import { type Citation, definedOnly, type Grounding, type WireRecord } from "#core";
import { protocolName } from "../name.ts";
import { ownExtras } from "../signatures.ts";
import { TextOffsets } from "../text-offsets.ts";

/** Text with citations, and where it stands: `offset` bytes into the part numbered `part`. */
export interface CitedText {
	readonly text: string;
	readonly citations: readonly Citation[];
	readonly part: number;
	readonly offset: number;
}

const chunkOf = (citation: Citation): WireRecord => {
	// A file may have no name: its id tells it from others.
	const place = definedOnly({ uri: citation.url, title: citation.title ?? citation.fileId });
	switch (citation.kind) {
		case "url":
			return { web: place };
		case "map":
			return { maps: place };
		default:
			return { retrievedContext: { ...place, ...definedOnly({ text: citation.quote }) } };
	}
};

class Chunks {
	readonly list: WireRecord[] = [];
	private readonly places = new Map<string, number>();

	indexOf(chunk: WireRecord): number {
		const key = JSON.stringify(chunk);
		const known = this.places.get(key);
		if (known !== undefined) return known;
		this.places.set(key, this.list.length);
		return this.list.push(chunk) - 1;
	}
}

/** One support for each marked span, with all sources of that span. */
class Supports {
	private readonly spans = new Map<string, { readonly segment: WireRecord; readonly indices: Set<number> }>();

	add({ text, part, offset }: CitedText, offsets: TextOffsets, { target }: Citation, index: number): void {
		const start = target?.start ?? 0;
		const end = Math.min(target?.end ?? text.length, text.length);
		if (end <= start) return;
		const startIndex = offset + offsets.bytesBefore(start);
		const segment = {
			...(part > 0 && { partIndex: part }),
			...(startIndex > 0 && { startIndex }),
			endIndex: offset + offsets.bytesBefore(end),
			text: text.slice(start, end),
		};
		const key = `${part}:${startIndex}:${segment.endIndex}`;
		const known = this.spans.get(key);
		if (known) known.indices.add(index);
		else this.spans.set(key, { segment, indices: new Set([index]) });
	}

	get list(): readonly WireRecord[] {
		return [...this.spans.values()].map(({ segment, indices }) => ({ segment, groundingChunkIndices: [...indices] }));
	}
}

const isMark = ({ extras }: Citation): boolean => ownExtras(extras)["citationSource"] !== true;

/** The metadata; undefined when nothing was found. What a Gemini model told goes out as it told it. */
export const encodeGrounding = (
	texts: readonly CitedText[],
	grounding: Grounding | undefined,
	queries: readonly string[] = [],
): WireRecord | undefined => {
	if (grounding?.raw?.protocol === protocolName) return grounding.raw.value as WireRecord;
	const chunks = new Chunks();
	const supports = new Supports();
	for (const { url, title } of grounding?.sources ?? []) chunks.indexOf({ web: definedOnly({ uri: url, title }) });
	for (const cited of texts) {
		const marks = cited.citations.filter(isMark);
		const offsets = new TextOffsets(marks.length > 0 ? cited.text : "");
		for (const citation of marks) supports.add(cited, offsets, citation, chunks.indexOf(chunkOf(citation)));
	}
	const asked = [...new Set([...(grounding?.queries ?? []), ...queries])];
	const metadata = definedOnly({
		webSearchQueries: asked.length > 0 ? asked : undefined,
		groundingChunks: chunks.list.length > 0 ? chunks.list : undefined,
		groundingSupports: supports.list.length > 0 ? supports.list : undefined,
	});
	return Object.keys(metadata).length > 0 ? metadata : undefined;
};
