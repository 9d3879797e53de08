/** A whole answer: the same writers as for a stream, without the events. */
import { type EncodedResponse, explode, type NeutralResponse, pausedLoss } from "#core";
import type { AnswerEncoder } from "./stream-encoder.ts";

/** The `response` object for a neutral response. */
export const encodeResponse = (response: NeutralResponse, encoder: AnswerEncoder): EncodedResponse => {
	for (const event of explode(response)) encoder.push(event);
	const pauses = response.candidates.some(({ finish }) => finish.reason === "pause");
	return { body: encoder.answer(), ...(pauses && { losses: [pausedLoss] }) };
};
