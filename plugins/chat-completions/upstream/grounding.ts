/** What a vendor's own search found: lists of sources beside the choices, or within tools that the vendor ran. */
import { asList, asRecord, asText, definedOnly, type Grounding, type WireRecord } from "#core";

type Source = Grounding["sources"][number];

const sourceOf = (value: unknown): Source[] => {
	const result = asRecord(value);
	const url = asText(value) ?? asText(result["url"]) ?? asText(result["link"]);
	return url === undefined ? [] : [{ url, ...definedOnly({ title: asText(result["title"]) }) }];
};

const executed = (message: WireRecord): { queries: string[]; sources: Source[] } => {
	const queries: string[] = [];
	const sources: Source[] = [];
	for (const tool of asList(message["executed_tools"])) {
		const { arguments: given, search_results: results } = asRecord(tool);
		const found = asList(asRecord(results)["results"]).flatMap(sourceOf);
		const query = /"query"\s*:\s*"([^"\\]+)"/.exec(asText(given) ?? "")?.[1];
		if (query !== undefined && !queries.includes(query)) queries.push(query);
		sources.push(...found);
	}
	return { queries, sources };
};

/** The sources told with an answer, or with one chunk of it; undefined when there are none. */
export const searchGrounding = (root: WireRecord, message: WireRecord): Grounding | undefined => {
	// Perplexity's and Baidu's list, Zhipu's, and Tencent's.
	const { search_results, web_search = asRecord(root["search_info"])["search_results"] } = root;
	const results = asList(search_results ?? web_search);
	const listed = (results.length > 0 ? results : asList(root["citations"])).flatMap(sourceOf);
	const { queries, sources } = executed(message);
	const all = [...listed, ...sources];
	return all.length === 0 ? undefined : { queries, sources: all };
};
