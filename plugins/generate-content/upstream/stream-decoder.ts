/** An upstream's stream of events in the neutral form. */
import {
	type DecodeContext,
	EventTemplate,
	eventMembers,
	isRecord,
	type NeutralEvent,
	parseExactly,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
} from "#core";
import { AnswerDecoder } from "./answer-decoder.ts";

const none: readonly NeutralEvent[] = [];

/** What may hold integers that a number would round. */
const calls = /"functionCall"/;

/** Members of which a candidate gathers more with every chunk, whatever its text. */
const gathered = /metadata|logprobs/i;

const isOneText = ([event, ...rest]: readonly NeutralEvent[]): boolean =>
	rest.length === 0 && event?.type === "delta" && (event.delta.type === "text" || event.delta.type === "thinking");

const words = eventMembers(["text"]);

class Decoder implements StreamDecoder {
	private readonly answer: AnswerDecoder;
	/** Chunks that only go on with the text that grew last. */
	private readonly template = new EventTemplate(words);
	private growing = false;
	private failed = false;

	constructor(context: DecodeContext) {
		this.answer = new AnswerDecoder(context);
	}

	push({ data }: StreamEvent): readonly NeutralEvent[] {
		if (this.failed) return none;
		if (this.growing && this.template.repeats(data)) {
			const more = this.template.value(data);
			if (more) return this.answer.more(more);
		}
		this.growing = false;
		const text = data.trim();
		if (text === "" || text === "[DONE]" || text === "null") return none;
		const chunk = calls.test(text) ? parseExactly(text) : parseJson(text);
		if (isRecord(chunk)) {
			const events = this.answer.push(chunk);
			if (isOneText(events) && !gathered.test(data)) {
				this.growing = true;
				this.template.learn(data);
			}
			return events;
		}
		this.failed = true;
		return [{ type: "error", error: { kind: "upstream", code: "invalid_chunk", message: unreadable } }];
	}

	end(): readonly NeutralEvent[] {
		return this.failed ? [{ type: "end", clean: false }] : this.answer.end();
	}
}

const unreadable =
	"The upstream sent a piece of its answer that could not be read; what has been received may be cut short.";

export const streamDecoder = (context: DecodeContext): StreamDecoder => new Decoder(context);
