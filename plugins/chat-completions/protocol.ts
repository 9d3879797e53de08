/** The protocol as the core sees it: every part lives in a file of its own, this one only joins them. */

import { bearer, decodeOpenAiModels, openAiFailure, openAiPaths, type Protocol } from "#core";
import { decodeRequest } from "./client/decode-request.ts";
import { encodeResponse } from "./client/encode-response.ts";
import { renderDenial, renderStreamDenial } from "./client/errors.ts";
import { lossWords } from "./client/loss-words.ts";
import { models } from "./client/models.ts";
import { readCall } from "./client/read.ts";
import { references } from "./client/references.ts";
import { streamEncoder } from "./client/stream-encoder.ts";
import { facts } from "./facts.ts";
import { protocolName } from "./name.ts";
import { observe, observer } from "./passthrough/observe.ts";
import { passthroughRequest } from "./passthrough/request.ts";
import { editor, restore } from "./passthrough/restore.ts";
import { decodeResponse } from "./upstream/decode-response.ts";
import { encodeRequest } from "./upstream/encode-request.ts";
import { refersTo } from "./upstream/refers-to.ts";
import { streamDecoder } from "./upstream/stream-decoder.ts";

/** OpenAI's Chat Completions (OpenAPI 2.3), with the dialects of the vendors that speak it. */
export const chatCompletions: Protocol = {
	name: protocolName,
	conversations: references,
	client: {
		paths: openAiPaths("/chat/completions"),
		read: readCall,
		decodeRequest,
		lossWords,
		encodeResponse,
		streamEncoder,
		renderDenial,
		renderStreamDenial,
		streamType: () => "text/event-stream; charset=utf-8",
		keepAlive: ": keep-alive\n\n",
		models,
	},
	upstream: {
		path: () => "/chat/completions",
		headers: (key) => ({
			"content-type": "application/json",
			...bearer(key),
		}),
		encodeRequest,
		decodeResponse,
		streamDecoder,
		decodeError: openAiFailure,
		refersTo,
		models: { path: "/models", decode: decodeOpenAiModels },
	},
	passthrough: { request: passthroughRequest, observe, restore, observer, editor },
	facts,
};
