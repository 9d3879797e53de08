/**
 * What a search found. Google tells it once or again with every chunk, sources counted over all of them, and marks the
 * text it supports by bytes; here each mark becomes a citation once.
 */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type Citation,
	definedOnly,
	type Grounding,
	isRecord,
	type WireRecord,
} from "#core";
import { field, listField, recordField } from "./fields.ts";
import { protocolName } from "./name.ts";
import { bagOf } from "./signatures.ts";
import { bytesBefore, unitsBefore } from "./text-offsets.ts";

/** A run of visible text: one block of it. `ordinal` counts all blocks of the candidate. */
export interface TextRun {
	readonly block: number;
	readonly ordinal: number;
	text: string;
	/** The block can still be added to. */
	open: boolean;
}

/** A citation and the block that it belongs to. */
export interface Placed {
	readonly block: number;
	readonly citation: Citation;
}

interface Mark {
	readonly segment: WireRecord;
	readonly citations: readonly Citation[];
}

const sourceOf = (chunk: WireRecord): Citation => {
	const maps = field(chunk, "maps");
	if (isRecord(maps))
		return { kind: "map", ...definedOnly({ url: asText(maps["uri"]), title: asText(maps["title"]) }) };
	const context = field(chunk, "retrievedContext");
	if (isRecord(context))
		return {
			kind: "file",
			...definedOnly({
				url: asText(context["uri"]),
				title: asText(context["title"]),
				quote: asText(context["text"]),
				fileId: asText(field(context, "fileSearchStore")),
			}),
		};
	const web = isRecord(chunk["web"]) ? chunk["web"] : recordField(chunk, "image");
	const url = asText(web["uri"]) ?? asText(field(web, "sourceUri"));
	return { kind: "url", ...definedOnly({ url, title: asText(web["title"]) }) };
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Gathers the grounding of one candidate. */
export class GroundingGatherer {
	private metadata: WireRecord | undefined;
	private chunks: readonly unknown[] = [];
	private readonly supports: unknown[] = [];
	private readonly queries = new Set<string>();
	private readonly seen = new Set<string>();
	private waiting: Mark[] = [];

	/** Takes one chunk's `groundingMetadata`. */
	add(metadata: WireRecord): void {
		this.metadata = { ...this.metadata, ...metadata };
		this.addChunks(listField(metadata, "groundingChunks"));
		for (const query of asList(field(metadata, "webSearchQueries")))
			if (typeof query === "string") this.queries.add(query);
		for (const support of listField(metadata, "groundingSupports")) this.addSupport(asRecord(support));
	}

	/** Takes one chunk's `citationMetadata`: sources that the answer repeats. */
	addCited(metadata: WireRecord): void {
		for (const entry of [...listField(metadata, "citationSources"), ...listField(metadata, "citations")]) {
			const source = asRecord(entry);
			const url = asText(source["uri"]);
			if (url === undefined || this.isKnown(source)) continue;
			const own = bagOf({ citationSource: true });
			this.waiting.push({
				segment: source,
				citations: [{ kind: "url", url, ...definedOnly({ title: asText(source["title"]) }), ...own }],
			});
		}
	}

	/** A list that begins like the one known is the same list again, perhaps longer; any other goes on from it. */
	private addChunks(chunks: readonly unknown[]): void {
		const repeated = this.chunks.every((chunk, at) => at >= chunks.length || same(chunk, chunks[at]));
		if (!repeated) this.chunks = [...this.chunks, ...chunks];
		else if (chunks.length > this.chunks.length) this.chunks = chunks;
	}

	private isKnown(value: unknown): boolean {
		const key = JSON.stringify(value);
		if (this.seen.has(key)) return true;
		this.seen.add(key);
		return false;
	}

	private addSupport(support: WireRecord): void {
		const segment = recordField(support, "segment");
		const indices = asList(field(support, "groundingChunkIndices"));
		if (this.isKnown([segment, indices])) return;
		this.supports.push(support);
		const citations = indices.flatMap((index) => {
			const chunk = this.chunks[asCount(index) ?? -1];
			return isRecord(chunk) ? [sourceOf(chunk)] : [];
		});
		if (citations.length > 0) this.waiting.push({ segment, citations });
	}

	/** Citations whose text has come. `all`: the text is complete, and what still waits is placed as well as it can be. */
	place(runs: readonly TextRun[], all: boolean): readonly Placed[] {
		if (this.waiting.length === 0) return [];
		const placed: Placed[] = [];
		this.waiting = this.waiting.filter(({ segment, citations }) => {
			const spot = spotOf(segment, runs, all);
			if (!spot) return !all;
			for (const citation of citations) placed.push({ block: spot.block, citation: { ...citation, ...spot.target } });
			return false;
		});
		return placed;
	}

	/** Everything that was found; undefined when there was no search. */
	result(): Grounding | undefined {
		if (!this.metadata) return undefined;
		const sources = this.chunks.map((chunk) => {
			const { url, title } = sourceOf(asRecord(chunk));
			return definedOnly({ url, title: title ?? undefined });
		});
		const lists = definedOnly({
			groundingChunks: this.chunks.length > 0 ? this.chunks : undefined,
			groundingSupports: this.supports.length > 0 ? this.supports : undefined,
			webSearchQueries: this.queries.size > 0 ? [...this.queries] : undefined,
		});
		const raw = { protocol: protocolName, value: { ...this.metadata, ...lists } };
		if (Object.keys(raw.value).length === 0) return undefined;
		return { queries: [...this.queries], sources, raw };
	}
}

interface Spot {
	readonly block: number;
	readonly target: { readonly target?: { readonly start: number; readonly end: number } };
}

/** The units that the bytes of a segment are; where its own text says otherwise, its text is right. */
const spanOf = (segment: WireRecord, text: string): { readonly start: number; readonly end: number } => {
	const start = unitsBefore(text, asCount(field(segment, "startIndex")) ?? 0);
	const end = unitsBefore(text, asCount(field(segment, "endIndex")) ?? 0);
	const told = asText(segment["text"]);
	if (told === undefined || told === "" || text.slice(start, end) === told) return { start, end };
	const near = text.indexOf(told, Math.max(0, start - 4));
	const found = near === -1 ? text.indexOf(told) : near;
	return found === -1 ? { start, end } : { start: found, end: found + told.length };
};

/** The open block where a segment lies, and where in it. */
const spotOf = (segment: WireRecord, runs: readonly TextRun[], all: boolean): Spot | undefined => {
	const part = asCount(field(segment, "partIndex"));
	const named = part ? runs.find((run) => run.ordinal === part) : undefined;
	const within = named ? [named] : runs;
	const text = within.map((run) => run.text).join("");
	if (!all && !hasCome(segment, text)) return undefined;
	const { start, end } = spanOf(segment, text);
	let before = 0;
	for (const run of within) {
		const last = run === within.at(-1);
		if (start < before + run.text.length || last) return placeIn(run, start - before, end - before, runs);
		before += run.text.length;
	}
	return undefined;
};

/** True when the text of the segment is there: by its bytes, or by its own words, which are right where the bytes are not. */
const hasCome = (segment: WireRecord, text: string): boolean => {
	const told = asText(segment["text"]);
	if (told !== undefined && told !== "" && text.includes(told)) return true;
	return bytesBefore(text, text.length) >= (asCount(field(segment, "endIndex")) ?? 0);
};

/** A block that is closed takes nothing more; its source is then told with the next text, without a span. */
const placeIn = (run: TextRun, start: number, end: number, runs: readonly TextRun[]): Spot | undefined => {
	const open = run.open ? run : runs.findLast((candidate) => candidate.open);
	if (!open) return undefined;
	const from = Math.min(Math.max(0, start), run.text.length);
	const to = Math.min(end, run.text.length);
	return { block: open.block, target: open === run && to > from ? { target: { start: from, end: to } } : {} };
};
