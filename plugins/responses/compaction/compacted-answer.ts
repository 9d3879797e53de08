/** An answer that begins with the item to which its conversation was compacted. */
import { addUsage, asRecord, familyOf, type NeutralEvent, type NeutralRequest, type WireRecord } from "#core";
import type { AnswerEncoder } from "../client/stream-encoder.ts";
import { originOf } from "../origin.ts";

/** No block of an answer has this number. */
const before = -1;

class CompactedEncoder implements AnswerEncoder {
	private readonly inner: AnswerEncoder;
	private readonly compacted: NonNullable<NeutralRequest["compacted"]>;
	private readonly family: string;

	constructor(inner: AnswerEncoder, compacted: NonNullable<NeutralRequest["compacted"]>, family: string) {
		this.inner = inner;
		this.compacted = compacted;
		this.family = family;
	}

	push(event: NeutralEvent): string {
		const text = this.inner.push(this.withAll(event));
		if (event.type !== "start") return text;
		const shell = { type: "unknown", origin: originOf(this.family), raw: asRecord(this.compacted.item) } as const;
		return (
			text +
			this.inner.push({ type: "open", block: before, candidate: 0, shell }) +
			this.inner.push({ type: "close", block: before })
		);
	}

	/** The client is told what both asks used. */
	private withAll(event: NeutralEvent): NeutralEvent {
		const { usage } = this.compacted;
		if (event.type === "usage") return { ...event, usage: addUsage(usage, event.usage) };
		return event.type === "start" && event.usage ? { ...event, usage: addUsage(usage, event.usage) } : event;
	}

	answer(): WireRecord | undefined {
		return this.inner.answer();
	}
}

/** The same encoder, for an answer before which nothing was compacted. */
export const afterCompaction = (inner: AnswerEncoder, { compacted, model }: NeutralRequest): AnswerEncoder =>
	compacted ? new CompactedEncoder(inner, compacted, familyOf(model)) : inner;
