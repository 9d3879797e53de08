/** Searches of Google's own, which it bills beside the tokens and counts nowhere: told by what they found. */
import { asList, asRecord, asText, type Usage, type WireRecord } from "#core";
import { candidatesOf } from "./candidates.ts";
import { field, listField, recordField } from "./fields.ts";

type Calls = NonNullable<Usage["serverTools"]>;

/** These are billed once for an answer that rests on searches; later ones for each query. */
const billedOnce = /\bgemini-[12]\b/;

/** Members of `groundingMetadata` with what was looked for. */
const queryLists = ["webSearchQueries", "imageSearchQueries"];
/** A source that is none of the web's, and what looked it up. */
const otherSources = { maps: "google_maps", retrievedContext: "file_search" } as const;

const queriesOf = (grounding: WireRecord): number => {
	const queries = new Set(queryLists.flatMap((name) => asList(field(grounding, name)).map(asText)));
	queries.delete("");
	return queries.size;
};

/** What was looked up for one answer, chunk by chunk: each tells it again, or nothing. */
export class Searches {
	private made: Calls | undefined;
	/** Pages that the prompt names are sources of the web too, and no search found them. */
	private readsPages = false;

	get calls(): Calls | undefined {
		return this.made;
	}

	add(chunk: WireRecord): void {
		const once = billedOnce.test(asText(field(chunk, "modelVersion")) ?? "");
		for (const { candidate } of candidatesOf(chunk)) {
			if (field(candidate, "urlContextMetadata") !== undefined) this.readsPages = true;
			this.read(recordField(candidate, "groundingMetadata"), once);
		}
	}

	private read(grounding: WireRecord, once: boolean): void {
		const queries = queriesOf(grounding);
		const sources = listField(grounding, "groundingChunks").map(asRecord);
		const isFrom = (name: string): boolean => sources.some((source) => field(source, name) !== undefined);
		if (queries > 0 || (isFrom("web") && !this.readsPages)) this.count("web_search", once ? 1 : Math.max(1, queries));
		for (const [name, tool] of Object.entries(otherSources)) if (isFrom(name)) this.count(tool, 1);
	}

	private count(tool: string, calls: number): void {
		this.made = { ...this.made, [tool]: Math.max(this.made?.[tool] ?? 0, calls) };
	}
}
