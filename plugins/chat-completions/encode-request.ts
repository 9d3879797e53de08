/** A neutral request for an upstream that speaks Chat Completions. Strict: only what the protocol knows. */
import { definedOnly, type EncodeContext, type EncodedRequest, type NeutralRequest } from "#core";
import { limitField } from "./passthrough.ts";

/** Encodes the conversation and every option the protocol has a place for. */
export const encodeRequest = (request: NeutralRequest, context: EncodeContext): EncodedRequest => ({
	body: {
		model: context.model,
		messages: request.messages.map((message) => ({
			role: message.role,
			content: message.blocks.map((block) => (block.type === "text" ? block.text : "")).join(""),
		})),
		...definedOnly({
			temperature: request.sampling.temperature,
			top_p: request.sampling.topP,
			[context.capabilities.maxTokensField ?? limitField(context.model)]: request.maxOutputTokens,
		}),
		...(request.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
	},
	losses: [],
	names: { tools: new Map() },
});
