/** An upstream's answer, chunk by chunk, as neutral events. A whole answer is one chunk. */
import {
	asRecord,
	asText,
	type DecodeContext,
	definedOnly,
	type Finish,
	isRecord,
	type NeutralEvent,
	type WireRecord,
} from "#core";
import { type AnswerState, CandidateDecoder } from "../candidate-decoder.ts";
import { candidatesOf } from "../candidates.ts";
import { field, otherFields } from "../fields.ts";
import { blockReasonOf } from "../finish.ts";
import { Searches } from "../searches.ts";
import { bagOf } from "../signatures.ts";
import { decodeTier, decodeUsage } from "../usage.ts";
import { decodeToldError } from "./upstream-error.ts";

const known = new Set(["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId", "createTime"]);

const secondsOf = (time: string | undefined): number => {
	const parsed = time === undefined ? Number.NaN : Date.parse(time);
	return Math.floor((Number.isNaN(parsed) ? Date.now() : parsed) / 1000);
};

export class AnswerDecoder {
	private readonly context: DecodeContext;
	private readonly state: AnswerState;
	private readonly candidates = new Map<number, CandidateDecoder>();
	private speaker: CandidateDecoder | undefined;
	private readonly searches = new Searches();
	private started = false;
	private blocked = false;
	private failed = false;

	constructor(context: DecodeContext) {
		this.context = context;
		// Without an id of its own, an answer is told from others of the conversation by where it stands.
		this.state = { nextBlock: 0, seed: String(context.request.messages.length) };
	}

	push(chunk: WireRecord): readonly NeutralEvent[] {
		const events: NeutralEvent[] = [];
		if (chunk["error"] !== undefined && chunk["error"] !== null) {
			this.failed = true;
			return [{ type: "error", error: decodeToldError(chunk) }];
		}
		if (!this.started) events.push(this.start(chunk));
		this.feedback(chunk, events);
		for (const { index, candidate } of candidatesOf(chunk)) {
			this.speaker = this.candidate(index);
			events.push(...this.speaker.push(candidate));
		}
		const metadata = field(chunk, "usageMetadata");
		const usage = decodeUsage(metadata);
		this.searches.add(chunk);
		if (usage)
			events.push({
				type: "usage",
				usage: { ...usage, ...definedOnly({ serverTools: this.searches.calls }) },
				...definedOnly({ tier: decodeTier(metadata) }),
			});
		return events;
	}

	/** More of the text that the chunk before told, and nothing else. */
	more(text: string): readonly NeutralEvent[] {
		return this.speaker?.more(text) ?? [];
	}

	/** `fallback`: the finish of candidates that told none; without it their answer is broken off. */
	end(fallback?: Finish): readonly NeutralEvent[] {
		const events: NeutralEvent[] = [];
		let clean = !this.failed && (this.blocked || this.candidates.size > 0);
		for (const candidate of this.candidates.values()) {
			clean &&= candidate.finished || fallback !== undefined;
			events.push(...candidate.end(fallback));
		}
		events.push({ type: "end", clean });
		return events;
	}

	private start(chunk: WireRecord): NeutralEvent {
		this.started = true;
		const id = asText(field(chunk, "responseId")) ?? "";
		if (id !== "") this.state.seed = id;
		return {
			type: "start",
			id,
			model: asText(field(chunk, "modelVersion")) ?? "",
			createdAt: secondsOf(asText(field(chunk, "createTime"))),
			...bagOf(otherFields(chunk, known)),
		};
	}

	private feedback(chunk: WireRecord, events: NeutralEvent[]): void {
		const feedback = asRecord(field(chunk, "promptFeedback"));
		const reason = blockReasonOf(feedback);
		if (this.blocked || reason === undefined) return;
		this.blocked = true;
		const message = asText(field(feedback, "blockReasonMessage"));
		events.push({ type: "blocked", reason, ...definedOnly({ message }) });
	}

	private candidate(index: number): CandidateDecoder {
		let candidate = this.candidates.get(index);
		if (!candidate) {
			candidate = new CandidateDecoder(index, this.context, this.state);
			this.candidates.set(index, candidate);
		}
		return candidate;
	}
}

/** True for an object that is an answer of Gemini's, or a chunk of one. */
export const isAnswer = (value: unknown): value is WireRecord =>
	isRecord(value) &&
	["candidates", "promptFeedback", "usageMetadata", "error", "modelVersion"].some(
		(name) => field(value, name) !== undefined,
	);
