/** Searches of Google's own, which it bills beside the tokens and counts nowhere: told by what they found. */
import { asList, asRecord, asText, type Usage, type WireRecord } from "#core";
import { candidatesOf } from "./candidate-decoder.ts";
import { field, listField, recordField } from "./fields.ts";

type Calls = NonNullable<Usage["serverTools"]>;

/** These are billed once for an answer that rests on searches; later ones for each query. */
const billedOnce = /\bgemini-[12]\b/;

/** Members of `groundingMetadata` with what was looked for. */
const queryLists = ["webSearchQueries", "imageSearchQueries"];
/** A source that is none of the web's, and what looked it up. */
const otherSources = { maps: "google_maps", retrievedContext: "file_search" } as const;

const callsIn = (grounding: WireRecord, once: boolean): Calls => {
	const queries = new Set(queryLists.flatMap((name) => asList(field(grounding, name)).map(asText)));
	queries.delete("");
	const sources = listField(grounding, "groundingChunks").map(asRecord);
	const searched = queries.size > 0 || sources.some((source) => field(source, "web") !== undefined);
	const calls: Record<string, number> = {};
	if (searched) calls["web_search"] = once ? 1 : Math.max(1, queries.size);
	for (const [name, tool] of Object.entries(otherSources))
		if (sources.some((source) => field(source, name) !== undefined)) calls[tool] = 1;
	return calls;
};

/** What the chunks of an answer tell by now: each tells it again, or nothing. */
export const searchesBy = (before: Calls | undefined, chunk: WireRecord): Calls | undefined => {
	let calls = before;
	for (const { candidate } of candidatesOf(chunk)) {
		const grounding = recordField(candidate, "groundingMetadata");
		const found = callsIn(grounding, billedOnce.test(asText(field(chunk, "modelVersion")) ?? ""));
		for (const [tool, count] of Object.entries(found))
			calls = { ...calls, [tool]: Math.max(calls?.[tool] ?? 0, count) };
	}
	return calls;
};
