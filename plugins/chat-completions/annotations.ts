/** Citations as `annotations[]`. Their spans count characters of the whole content of a message, ours units of the block they stand in. */
import { asCount, asList, asRecord, asText, type Citation, definedOnly, type Grounding } from "#core";
import type { ContentLength } from "./content-length.ts";
import { protocolName } from "./name.ts";

/** A citation with the span it supports in the whole content. */
export interface PlacedCitation {
	readonly citation: Citation;
	readonly start: number;
	readonly end: number;
}

/** One annotation; undefined for what is not a citation of an address. */
const decodeAnnotation = (value: unknown): PlacedCitation | undefined => {
	const annotation = asRecord(value);
	const {
		url: given,
		title,
		start_index: first,
		end_index: last,
		content,
		...rest
	} = asRecord(annotation["url_citation"]);
	const url = asText(given);
	if (annotation["type"] !== "url_citation" || url === undefined) return undefined;
	const start = asCount(first) ?? 0;
	const extras = Object.keys(rest).length === 0 ? undefined : { [protocolName]: rest };
	return {
		citation: {
			kind: "url",
			url,
			...definedOnly({ title: asText(title), quote: asText(content), extras }),
		},
		start,
		end: Math.max(start, asCount(last) ?? start),
	};
};

/** All annotations of a message or delta, their spans as they came. */
export const decodeAnnotations = (value: unknown): PlacedCitation[] =>
	asList(value).flatMap((annotation) => decodeAnnotation(annotation) ?? []);

/** The span in units of the content that has been told. */
export const inUnits = ({ citation, start, end }: PlacedCitation, content: ContentLength): PlacedCitation => ({
	citation,
	start: content.unitsBefore(start),
	end: content.unitsBefore(end),
});

/**
 * The citation with its span in a block that begins at `blockStart` of the content; an empty span means all of the block. One
 * of words before the block, told once that has begun, stands where it begins.
 */
export const within = ({ citation, start, end }: PlacedCitation, blockStart: number): Citation =>
	end > start
		? { ...citation, target: { start: Math.max(0, start - blockStart), end: Math.max(0, end - blockStart) } }
		: citation;

/** An annotation for a citation in a block of `length` that begins at `blockStart`; undefined for one without an address. */
const encodeAnnotation = (citation: Citation, blockStart: number, length: number, content: ContentLength) =>
	citation.url === undefined
		? undefined
		: {
				type: "url_citation",
				url_citation: {
					start_index: content.charactersBefore(blockStart + (citation.target?.start ?? 0)),
					end_index: content.charactersBefore(blockStart + (citation.target?.end ?? length)),
					url: citation.url,
					title: citation.title ?? "",
				},
			};

/** The annotations of one message while its texts are told. */
export class Annotations {
	readonly told: unknown[] = [];
	private readonly content: ContentLength;
	/** Where the last text begins in the content. */
	private start = 0;

	constructor(content: ContentLength) {
		this.content = content;
	}

	/** A text begins there. */
	begin(start: number): void {
		this.start = start;
	}

	/** Citations of a block of `length` that begins at `start`. */
	cite(citations: readonly Citation[], start: number, length: number): void {
		for (const citation of citations) {
			const annotation = encodeAnnotation(citation, start, length, this.content);
			if (annotation !== undefined) this.told.push(annotation);
		}
	}

	/** Sources of a search that no citation has told stand at the last text. */
	ground({ sources }: Grounding): void {
		const { units: length } = this.content;
		if (this.told.length > 0 || length === 0) return;
		const cited = sources.flatMap(({ url, title }): Citation[] =>
			url === undefined ? [] : [{ kind: "url", url, ...definedOnly({ title }) }],
		);
		this.cite(cited, this.start, length - this.start);
	}
}
