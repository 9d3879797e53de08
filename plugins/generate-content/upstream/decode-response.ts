/** An upstream's whole answer in the neutral form: the fold of the events it tells. */
import {
	asCount,
	asRecord,
	brokenOff,
	type DecodeContext,
	Fault,
	fold,
	type NeutralEvent,
	type NeutralResponse,
} from "#core";
import { field } from "../fields.ts";
import { noAnswer } from "../finish.ts";
import { AnswerDecoder, isAnswer } from "./answer-decoder.ts";

/** Throws `Fault` (`upstream`) for what is no answer. A list is a stream's chunks in one piece. */
export const decodeResponse = (body: unknown, context: DecodeContext): NeutralResponse => {
	const chunks = Array.isArray(body) ? body : [body];
	const decoder = new AnswerDecoder(context);
	const events: NeutralEvent[] = [];
	for (const chunk of chunks) {
		if (!isAnswer(chunk))
			throw new Fault({
				kind: "upstream",
				message: "The upstream answered with something other than an answer of a Gemini model. Ask again.",
			});
		events.push(...decoder.push(chunk));
	}
	// A whole answer without a reason is complete all the same; a list of chunks that stops without one is not.
	const whole = chunks.length === 1;
	const ending = decoder.end(whole ? { reason: "stop" } : undefined);
	const broken = ending.some((event) => event.type === "end" && !event.clean);
	const response = fold([...events, ...ending]);
	return broken && !response.error ? { ...response, error: whole ? noAnswer : brokenOff } : response;
};

/** The number in an answer of `countTokens`. */
export const decodeTokenCount = (body: unknown): number | undefined => asCount(field(asRecord(body), "totalTokens"));
