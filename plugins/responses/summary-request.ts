/** How a model that cannot compact is asked for what compaction gives: a summary that stands for the conversation. */
import { asCount, asList, asRecord, definedOnly, type NeutralRequest, type WireRecord } from "#core";

/** The most that a summary may be: output tokens, of which some are thought. */
export const summaryTokens = 8192;

/** The item by which clients ask for the conversation to be compacted. */
export const triggerType = "compaction_trigger";

/** What asks for it. */
export const summaryInstruction = `Write a summary of the conversation so far. Whoever goes on from here will read this summary and nothing else of it, so keep what the work needs:
- what the user wants, with every wish, rule and preference they stated, in their own words where the words matter;
- what was decided and why, and what was tried and failed;
- what has been done: files, commands, names, numbers, addresses and results, exactly as they are;
- what is still open, and the next step.
Do not call tools and do not go on with the work. Answer with the summary alone.`;

/** True where the input holds the item that asks for it. */
export const hasTrigger = (input: unknown): boolean =>
	asList(input).some((item) => asRecord(item)["type"] === triggerType);

/** Above how many tokens the client wants its conversation compacted; undefined where it does not, or asks for more than that. */
export const compactAbove = (body: WireRecord): number | undefined => {
	const managed = asList(body["context_management"]);
	const { type, compact_threshold: above } = asRecord(managed[0]);
	return managed.length === 1 && type === "compaction" ? asCount(above) : undefined;
};

/**
 * The request for the summary. The words and tools before it stay, so that a provider's cache of them is read; the tools
 * are only known, not called.
 */
export const summaryRequest = (
	request: NeutralRequest,
	as: NonNullable<NeutralRequest["compacts"]>,
): NeutralRequest => {
	const { protocol, model, stream, messages, tools, reasoning, tier, identity, cacheKey, cacheRetention, raw } =
		request;
	const known = tools?.filter(({ type }) => type === "function" || type === "custom") ?? [];
	return {
		protocol,
		model,
		stream,
		messages: [...messages, { role: "user", blocks: [{ type: "text", text: summaryInstruction }] }],
		sampling: {},
		...(known.length > 0 && { tools: known, toolChoice: { mode: "none" as const } }),
		maxOutputTokens: Math.min(request.maxOutputTokens ?? summaryTokens, summaryTokens),
		...definedOnly({ reasoning, tier, identity, cacheKey, cacheRetention }),
		compacts: as,
		raw,
	};
};

/** What a summary reads as in a later request. It is a model's own words, so it has no more say than a user's message. */
export const summaryMessage = (summary: string): WireRecord => ({
	type: "message",
	role: "user",
	content: `What was said before is told in this summary:\n\n${summary}`,
});
