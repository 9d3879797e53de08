/** The protocol as the core sees it: every part lives in a file of its own, this one only joins them. */
import { asCount, asRecord, type Conversations, type Protocol } from "#core";
import { decodeRequest } from "./client/decode-request.ts";
import { encodeResponse } from "./client/encode-response.ts";
import { renderDenial, renderStreamDenial } from "./client/errors.ts";
import { lossWords } from "./client/loss-words.ts";
import { models } from "./client/models.ts";
import { operationAt, readCall } from "./client/read.ts";
import { createConversations } from "./client/references.ts";
import { streamEncoder } from "./client/stream-encoder.ts";
import { facts } from "./facts.ts";
import { protocolName } from "./name.ts";
import { observe, observer } from "./passthrough/observe.ts";
import { passthroughRequest, pathOf } from "./passthrough/request.ts";
import { editor, restore } from "./passthrough/restore.ts";
import { decodeResponse } from "./upstream/decode-response.ts";
import { encodeRequest } from "./upstream/encode-request.ts";
import { models as modelQuestion } from "./upstream/models.ts";
import { streamDecoder } from "./upstream/stream-decoder.ts";
import { unable } from "./upstream/unable.ts";
import { decodeError } from "./upstream/upstream-error.ts";

interface MessagesOptions {
	/** Names, or patterns with `*`, of the betas that are forwarded to upstreams. */
	readonly betas: readonly string[];
	readonly conversations: Conversations;
}

/** Anthropic's Messages API (version 2023-06-01; clients of 2026-10-21 are served too). */
export const createMessages = ({ betas, conversations }: MessagesOptions): Protocol => ({
	name: protocolName,
	conversations,
	client: {
		paths: ["/v1/messages", "/messages", "/v1/messages/count_tokens", "/messages/count_tokens"],
		claims: (headers) => headers.has("anthropic-version"),
		operationAt,
		read: readCall,
		decodeRequest,
		lossWords,
		encodeResponse,
		streamEncoder,
		encodeTokenCount: (tokens) => ({ input_tokens: tokens }),
		renderDenial,
		renderStreamDenial,
		streamType: () => "text/event-stream; charset=utf-8",
		keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
		models,
	},
	upstream: {
		path: ({ operation }) => pathOf(operation),
		// The version is the request's own affair: a client that passes through may have asked for another.
		headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { "x-api-key": key }),
		encodeRequest,
		decodeResponse,
		streamDecoder,
		decodeError,
		unable,
		models: modelQuestion,
		decodeTokenCount: (body) => asCount(asRecord(body)["input_tokens"]),
	},
	passthrough: { request: passthroughRequest(betas), observe, restore, observer, editor },
	facts,
});

/** The protocol without memory: what the codec alone can do. Every beta is forwarded. */
export const messages: Protocol = createMessages({ betas: ["*"], conversations: createConversations() });
