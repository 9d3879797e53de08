/**
 * Tools within a namespace go to other protocols under one flat name, `namespace__tool`, and their calls come back
 * split. Of a tool called so directly and one in a namespace the direct one wins.
 */
import { asList, asRecord, asText, flatName, isRecord, refuseField, type WireRecord } from "#core";

/** More than any provider takes. The name is repeated before that of each tool, of which there may be thousands. */
const longestName = 256;

/** The name of a namespace. Throws `Fault` for one that is too long; `at` is where it stands. */
export const namespaceIn = ({ name }: WireRecord, at: string): string | undefined => {
	const told = asText(name);
	if (told === undefined || told.length <= longestName) return told;
	throw refuseField(`${at}.name`, told, `the name of a namespace may have ${longestName} characters at most.`);
};

/** A tool's name as its client knows it. */
export interface SplitName {
	readonly name: string;
	readonly namespace?: string;
}

/** Splits the flat names of these tools (as the client sent them); any other name is its own. */
export const splitterOf = (tools: unknown): ((flat: string) => SplitName) => {
	const names = new Map<string, SplitName>();
	for (const tool of asList(tools).map(asRecord)) {
		const namespace = tool["type"] === "namespace" ? asText(tool["name"]) : undefined;
		if (namespace === undefined) continue;
		for (const inner of asList(tool["tools"])) {
			const name = isRecord(inner) ? asText(inner["name"]) : undefined;
			if (name !== undefined) names.set(flatName(name, namespace), { name, namespace });
		}
	}
	for (const tool of asList(tools)) names.delete(asText(asRecord(tool)["name"]) ?? "");
	return (flat) => names.get(flat) ?? { name: flat };
};
