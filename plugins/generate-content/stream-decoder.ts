/** An upstream's stream of events in the neutral form. */
import {
	type DecodeContext,
	isRecord,
	type NeutralEvent,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
} from "#core";
import { AnswerDecoder } from "./answer-decoder.ts";

const none: readonly NeutralEvent[] = [];

class Decoder implements StreamDecoder {
	private readonly answer: AnswerDecoder;
	private failed = false;

	constructor(context: DecodeContext) {
		this.answer = new AnswerDecoder(context);
	}

	push({ data }: StreamEvent): readonly NeutralEvent[] {
		if (this.failed) return none;
		const text = data.trim();
		if (text === "" || text === "[DONE]" || text === "null") return none;
		const chunk = parseJson(text);
		if (isRecord(chunk)) return this.answer.push(chunk);
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
