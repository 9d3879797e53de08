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
import { TextOffsets } from "./text-offsets.ts";

/** A run of visible text: one block of it. `ordinal` counts all blocks of the candidate. */
export interface TextRun {
	readonly block: number;
	readonly ordinal: number;
	text: string;
	/** The block can still be added to. */
	open: boolean;
}

/** A citation and the block that it belongs to. */
interface Placed {
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
	private readonly chunks: unknown[] = [];
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
		const differs = chunks.findIndex((chunk, at) => at >= this.chunks.length || !same(this.chunks[at], chunk));
		if (differs === -1) return;
		const known = this.chunks.length;
		for (const chunk of differs === known ? chunks.slice(known) : chunks) this.chunks.push(chunk);
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
		const texts = new Texts(runs);
		this.waiting = this.waiting.filter(({ segment, citations }) => {
			const spot = spotOf(segment, texts, all);
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

/** Runs one after the other, and where their bytes are. */
class Joined {
	readonly text: string;
	readonly offsets: TextOffsets;
	private readonly runs: readonly TextRun[];
	private readonly starts: number[] = [];

	constructor(runs: readonly TextRun[]) {
		this.runs = runs;
		let length = 0;
		for (const { text } of runs) {
			this.starts.push(length);
			length += text.length;
		}
		this.text = runs.map(({ text }) => text).join("");
		this.offsets = new TextOffsets(this.text);
	}

	/** The run that holds the unit, else the last; with where it starts. */
	runAt(unit: number): { readonly run: TextRun; readonly start: number } | undefined {
		let [from, to] = [0, this.runs.length];
		while (to - from > 1) {
			const middle = Math.floor((from + to) / 2);
			if ((this.starts[middle] ?? 0) <= unit) from = middle;
			else to = middle;
		}
		const run = this.runs[from];
		return run && { run, start: this.starts[from] ?? 0 };
	}
}

/** The texts that marks may stand on: all runs together, and each by itself where marks name it. Laid out once for all marks. */
class Texts {
	/** Where a mark goes whose own run is closed. */
	readonly open: TextRun | undefined;
	private readonly all: Joined;
	private readonly byPart: ReadonlyMap<number, TextRun>;
	private readonly named = new Map<TextRun, Joined>();

	constructor(runs: readonly TextRun[]) {
		this.all = new Joined(runs);
		this.open = runs.findLast(({ open }) => open);
		this.byPart = new Map(runs.map((run) => [run.ordinal, run]));
	}

	of(part: number | undefined): Joined {
		const run = part ? this.byPart.get(part) : undefined;
		if (!run) return this.all;
		const joined = this.named.get(run) ?? new Joined([run]);
		this.named.set(run, joined);
		return joined;
	}
}

/** The units that the bytes of a segment are; where its own text says otherwise, its text is right. */
const spanOf = (segment: WireRecord, { text, offsets }: Joined): { readonly start: number; readonly end: number } => {
	const start = offsets.unitsBefore(asCount(field(segment, "startIndex")) ?? 0);
	const end = offsets.unitsBefore(asCount(field(segment, "endIndex")) ?? 0);
	const told = asText(segment["text"]);
	if (told === undefined || told === "" || text.slice(start, end) === told) return { start, end };
	const near = text.indexOf(told, Math.max(0, start - 4));
	const found = near === -1 ? text.indexOf(told) : near;
	return found === -1 ? { start, end } : { start: found, end: found + told.length };
};

/** The open block where a segment lies, and where in it. */
const spotOf = (segment: WireRecord, texts: Texts, all: boolean): Spot | undefined => {
	const within = texts.of(asCount(field(segment, "partIndex")));
	if (!all && !hasCome(segment, within)) return undefined;
	const { start, end } = spanOf(segment, within);
	const found = within.runAt(start);
	return found && placeIn(found.run, start - found.start, end - found.start, texts);
};

/** True when the text of the segment is there: by its bytes, or by its own words, which are right where the bytes are not. */
const hasCome = (segment: WireRecord, { text, offsets }: Joined): boolean => {
	if (offsets.bytes >= (asCount(field(segment, "endIndex")) ?? 0)) return true;
	const told = asText(segment["text"]);
	return told !== undefined && told !== "" && text.includes(told);
};

/** A block that is closed takes nothing more; its source is then told with the next text, without a span. */
const placeIn = (run: TextRun, start: number, end: number, texts: Texts): Spot | undefined => {
	const open = run.open ? run : texts.open;
	if (!open) return undefined;
	const from = Math.min(Math.max(0, start), run.text.length);
	const to = Math.min(end, run.text.length);
	return { block: open.block, target: open === run && to > from ? { target: { start: from, end: to } } : {} };
};
