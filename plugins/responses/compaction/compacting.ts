/** Compacts a conversation that passes the threshold of its client, and answers it in the same call. */
import {
	asList,
	asRecord,
	asText,
	type Compaction,
	estimateTokens,
	Fault,
	instructs,
	type Message,
	type ModelAsk,
	type NeutralRequest,
} from "#core";
import { compactAbove, summaryMessage, summaryRequest } from "../summary-request.ts";
import type { SealedSummaries } from "./sealed-summaries.ts";
import { nothingWritten } from "./summary-answer.ts";

/** Statuses by which an upstream says that it has no such route, and that it does not take a field. */
const noSuchRoute = new Set([404, 405, 501]);
const noSuchField = new Set([400, 422]);

/** What was asked last, in its own words where those are no more than half of what may be said. */
const lastAsked = (request: NeutralRequest): readonly Message[] => {
	const { messages, compactAbove: above = 0 } = request;
	const at = messages.findLastIndex(({ role }) => role === "user");
	if (at === -1) return [];
	const fits = (tail: readonly Message[]): boolean =>
		estimateTokens({ ...request, messages: tail, tools: [] }) <= above / 2;
	const since = messages.slice(at);
	const asked = since.slice(0, 1);
	return fits(since) ? since : fits(asked) ? asked : [];
};

const shortened = (request: NeutralRequest, summary: string): NeutralRequest["messages"] => {
	const { content } = summaryMessage(summary);
	const told: Message = { role: "user", blocks: [{ type: "text", text: String(content) }] };
	const { messages } = request;
	// Instructions hold, whatever is summed up.
	return [...messages.filter(instructs), told, ...lastAsked(request).filter((message) => !instructs(message))];
};

export const createCompaction = (summaries: SealedSummaries): Compaction => ({
	ask(request) {
		// The limit that the client set is one on the answer.
		const { compactAbove: above, maxOutputTokens: _limit, ...rest } = request;
		if (above === undefined || request.compacts || estimateTokens(request) <= above) return undefined;
		return { ...summaryRequest(rest, "before"), stream: false };
	},
	goOn(request, answer, usage) {
		const item = asRecord(asList(asRecord(answer)["output"])[0]);
		const summary = summaries.open(asText(item["encrypted_content"]) ?? "");
		if (summary === undefined) throw new Fault(nothingWritten);
		const { compactAbove: _above, ...rest } = request;
		return { ...rest, messages: shortened(request, summary), compacted: { item, usage } };
	},
	isUnknown({ call, body }: ModelAsk, status, text) {
		if (call.operation === "compact") return noSuchRoute.has(status);
		return compactAbove(body.value) !== undefined && noSuchField.has(status) && text.includes("context_management");
	},
});
