/** A neutral answer as OpenAI's `chat.completion`. */
import type { Candidate, EncodedResponse, NeutralRequest, NeutralResponse } from "#core";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

const choiceOf = (candidate: Candidate) => ({
	index: candidate.index,
	message: {
		role: "assistant",
		content: candidate.blocks.map((block) => (block.type === "text" ? block.text : "")).join(""),
		refusal: null,
	},
	logprobs: null,
	finish_reason: encodeFinish(candidate.finish),
});

/** Encodes an answer; the model is the one the client asked for. */
export const encodeResponse = (response: NeutralResponse, request: NeutralRequest): EncodedResponse => ({
	body: {
		id: response.id,
		object: "chat.completion",
		created: response.createdAt,
		model: request.model,
		choices: response.candidates.map(choiceOf),
		...(response.usage === undefined ? {} : { usage: encodeUsage(response.usage) }),
	},
});
