/** A model's summary as the answer that clients of compaction read: one item, sealed. */
import {
	asRecord,
	type Block,
	type Denial,
	explode,
	Fault,
	Folder,
	familyOf,
	type NeutralEvent,
	type NeutralRequest,
	type NeutralResponse,
	orderedId,
	type WireRecord,
} from "#core";
import { type AnswerEncoder, type AnswerOptions, answerEncoder } from "../client/stream-encoder.ts";
import { originOf } from "../origin.ts";
import type { Scope, SealedSummaries } from "./sealed-summaries.ts";

export const nothingWritten: Denial = {
	kind: "upstream",
	code: "compaction_failed",
	message:
		"The model wrote no summary of the conversation, so it could not be compacted. Ask again, or ask another model.",
};

const textOf = (blocks: readonly Block[]): string =>
	blocks
		.flatMap((block) => (block.type === "text" ? [block.text] : []))
		.join("")
		.trim();

const itemFor = (sealed: string): WireRecord => ({
	id: `cmp_${orderedId()}`,
	type: "compaction",
	encrypted_content: sealed,
});

/** Holds what the model writes until it is whole, and then tells of one sealed item. */
class SummaryEncoder implements AnswerEncoder {
	private readonly inner: AnswerEncoder;
	private readonly folder = new Folder();
	private readonly seal: (summary: string) => string;
	private readonly family: string;

	constructor(inner: AnswerEncoder, summaries: SealedSummaries, family: string, scope: Scope) {
		this.inner = inner;
		this.family = family;
		this.seal = (summary) => summaries.seal(summary, family, scope);
	}

	push(event: NeutralEvent): string {
		this.folder.push(event);
		switch (event.type) {
			case "open":
			case "delta":
			case "close":
			case "grounding":
			case "finish":
				return "";
			case "end":
				return event.clean ? this.end() : this.inner.push(event);
			default:
				return this.inner.push(event);
		}
	}

	private end(): string {
		const shell = this.item(this.folder.response().candidates[0]?.blocks ?? []);
		if (!shell) return this.inner.push({ type: "error", error: nothingWritten });
		const events: readonly NeutralEvent[] = [
			{ type: "open", block: 0, candidate: 0, shell },
			{ type: "close", block: 0 },
			{ type: "finish", candidate: 0, finish: { reason: "stop" } },
			{ type: "end", clean: true },
		];
		return events.map((event) => this.inner.push(event)).join("");
	}

	/** What the upstream itself compacted stays as it is. */
	private item(blocks: readonly Block[]): Block | undefined {
		const native = blocks.find((block) => block.type === "unknown" && asRecord(block.raw)["type"] === "compaction");
		const summary = textOf(blocks);
		if (native || summary === "") return native;
		return { type: "unknown", origin: originOf(this.family), raw: itemFor(this.seal(summary)) };
	}

	answer(): WireRecord | undefined {
		return this.inner.answer();
	}
}

/** The encoder of an answer to a request for a summary. */
export const summaryEncoder = (
	request: NeutralRequest,
	options: AnswerOptions,
	summaries: SealedSummaries,
): AnswerEncoder =>
	new SummaryEncoder(
		answerEncoder(request, options),
		summaries,
		familyOf(request.model),
		request.compacts === "before" ? "all" : "left",
	);

/** A whole answer: the `response` with its one item, or what `/responses/compact` answers. */
export const encodeSummary = (
	response: NeutralResponse,
	request: NeutralRequest,
	options: Omit<AnswerOptions, "live">,
	summaries: SealedSummaries,
): WireRecord => {
	const encoder = summaryEncoder(request, { ...options, live: false }, summaries);
	for (const event of explode(response)) encoder.push(event);
	const answer = encoder.answer();
	if (answer?.["status"] !== "completed") throw new Fault(nothingWritten);
	if (request.compacts !== "whole") return answer;
	const { id, created_at, output, usage } = answer;
	return { id, object: "response.compaction", created_at, output, usage };
};
