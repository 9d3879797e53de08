/** The grammar of each protocol's stream, to be run on every stream that a test produces. */
import type { ProtocolName } from "../recordings.ts";
import { chatCompletionsFaults } from "./chat-completions.ts";
import { generateContentFaults } from "./generate-content.ts";
import { messagesFaults } from "./messages.ts";
import { responsesFaults } from "./responses.ts";

interface StreamAsked {
	/** Chat Completions: `stream_options.include_usage`. */
	readonly usage?: boolean;
	/** Generate Content: without `alt=sse` the stream is a JSON array. */
	readonly array?: boolean;
}

/** What is wrong with a client-facing stream; empty when all is well. */
export const streamFaults = (protocol: ProtocolName, text: string, asked: StreamAsked = {}): readonly string[] => {
	switch (protocol) {
		case "chat-completions":
			return chatCompletionsFaults(text, asked);
		case "responses":
			return responsesFaults(text);
		case "messages":
			return messagesFaults(text);
		case "generate-content":
			return generateContentFaults(text, asked);
	}
};
