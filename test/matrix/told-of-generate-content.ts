/** Chunks of a generateContent stream (or its one answer), as the client gives them, in comparable words. */
import { asCount, asList, asRecord, asText, isRecord } from "#core";
import { distinct, type Ended, type Told, type ToldCandidate } from "./told.ts";

const ends: Readonly<Record<string, Ended>> = {
	MAX_TOKENS: "length",
	SAFETY: "filter",
	RECITATION: "filter",
	BLOCKLIST: "filter",
	PROHIBITED_CONTENT: "filter",
	SPII: "filter",
	LANGUAGE: "filter",
	MODEL_ARMOR: "filter",
	IMAGE_SAFETY: "filter",
	IMAGE_PROHIBITED_CONTENT: "filter",
	IMAGE_RECITATION: "filter",
	MALFORMED_FUNCTION_CALL: "malformed",
	UNEXPECTED_TOOL_CALL: "malformed",
	TOO_MANY_TOOL_CALLS: "malformed",
};

/** Words for an end that has no reason: whoever has said nothing by then has failed. */
const failures: ReadonlySet<string> = new Set(["OTHER", "IMAGE_OTHER", "NO_IMAGE"]);

interface Gathered {
	readonly parts: Readonly<Record<string, unknown>>[];
	finish: string | undefined;
	grounding: unknown;
}

export const toldOfChunks = (chunks: readonly unknown[]): Told => {
	const candidates = new Map<number, Gathered>();
	let usage: Told["usage"];
	let blocked = false;
	for (const chunk of chunks.map(asRecord)) {
		for (const candidate of asList(chunk["candidates"]).map(asRecord)) gather(candidates, candidate);
		if (isRecord(chunk["usageMetadata"])) usage = usageOf(chunk["usageMetadata"]) ?? usage;
		if (asRecord(chunk["promptFeedback"])["blockReason"] !== undefined) blocked = true;
	}
	const told: ToldCandidate[] = [...candidates].sort(([a], [b]) => a - b).map(([, gathered]) => candidateOf(gathered));
	if (told.length === 0 && blocked)
		told.push({ text: "", thinking: "", cited: [], tools: [], ended: "filter", media: 0 });
	return { candidates: told, usage };
};

const gather = (candidates: Map<number, Gathered>, candidate: Readonly<Record<string, unknown>>): void => {
	const index = asCount(candidate["index"]) ?? 0;
	const gathered = candidates.get(index) ?? { parts: [], finish: undefined, grounding: undefined };
	candidates.set(index, gathered);
	gathered.parts.push(...asList(asRecord(candidate["content"])["parts"]).map(asRecord));
	gathered.grounding = candidate["groundingMetadata"] ?? gathered.grounding;
	gathered.finish = asText(candidate["finishReason"]) ?? gathered.finish;
};

const candidateOf = ({ parts, finish, grounding }: Gathered): ToldCandidate => {
	const said = (thought: boolean) =>
		parts
			.filter((part) => (part["thought"] === true) === thought)
			.map((part) => asText(part["text"]) ?? "")
			.join("");
	const tools = callsIn(parts);
	const silent = parts.every((part) => part["thought"] === true || part["text"] === "");
	const ended =
		finish === undefined ? "unfinished" : (ends[finish] ?? (failures.has(finish) && silent ? "failed" : "stop"));
	const called = tools.length > 0 && (ended === "stop" || ended === "malformed");
	return {
		text: said(false),
		thinking: said(true),
		cited: citedIn(asRecord(grounding)),
		tools,
		ended: called ? "tool_calls" : ended,
		media: parts.filter((part) => isRecord(part["inlineData"])).length,
	};
};

/** Sources that support some of the text. */
const citedIn = ({ groundingChunks, groundingSupports }: Readonly<Record<string, unknown>>): readonly string[] => {
	const used = asList(groundingSupports).flatMap((support) => asList(asRecord(support)["groundingChunkIndices"]));
	const chunks = asList(groundingChunks);
	return distinct(used.map((index) => asRecord(asRecord(chunks[Number(index)])["web"])["uri"]));
};

/** Calls, also those whose arguments come piece by piece: first the name, then values by path. */
const callsIn = (parts: readonly Readonly<Record<string, unknown>>[]): ToldCandidate["tools"] => {
	const calls: { name: string; arguments: Record<string, unknown> }[] = [];
	for (const { name, args, partialArgs } of parts.map((part) => asRecord(part["functionCall"]))) {
		if (name !== undefined) calls.push({ name: String(name), arguments: { ...asRecord(args) } });
		const last = calls.at(-1)?.arguments ?? {};
		for (const piece of asList(partialArgs).map(asRecord)) {
			const value = piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"] ?? null;
			put(last, String(piece["jsonPath"]).match(/[^$.[\]]+/g) ?? [], value);
		}
	}
	return calls;
};

/** Sets the value at a path, or adds a string to the string that is there. */
const put = (target: Record<string, unknown>, [key = "", ...rest]: readonly string[], value: unknown): void => {
	if (rest.length === 0) {
		const before = target[key];
		target[key] = typeof before === "string" && typeof value === "string" ? before + value : value;
		return;
	}
	target[key] ??= /^\d+$/.test(rest[0] ?? "") ? [] : {};
	put(target[key] as Record<string, unknown>, rest, value);
};

/** All zero is a placeholder, not a count. */
const usageOf = (usage: Readonly<Record<string, unknown>>): Told["usage"] => {
	const count = (field: string) => asCount(usage[field]) ?? 0;
	const told = {
		input: count("promptTokenCount") + count("toolUsePromptTokenCount"),
		output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
		cacheRead: count("cachedContentTokenCount"),
	};
	return told.input + told.output === 0 ? undefined : told;
};
