/** The protocol as the core sees it: every part lives in a file of its own, this one only joins them. */
import type { Protocol } from "#core";
import { decodeRequest } from "./client/decode-request.ts";
import { encodeResponse, encodeTokenCount } from "./client/encode-response.ts";
import { renderDenial, renderStreamDenial } from "./client/errors.ts";
import { lossWords } from "./client/loss-words.ts";
import { models } from "./client/models.ts";
import { operationAt, readCall } from "./client/read.ts";
import { references } from "./client/references.ts";
import { streamEncoder } from "./client/stream-encoder.ts";
import { facts } from "./facts.ts";
import { endsInOwnWord } from "./finish.ts";
import { wantsEvents } from "./framing.ts";
import { modelPath, roots, verbFor, verbs } from "./model-path.ts";
import { protocolName } from "./name.ts";
import { observe, observer } from "./passthrough/observe.ts";
import { passthroughRequest } from "./passthrough/request.ts";
import { editor, restore } from "./passthrough/restore.ts";
import { decodeResponse, decodeTokenCount } from "./upstream/decode-response.ts";
import { encodeRequest } from "./upstream/encode-request.ts";
import { models as modelQuestion } from "./upstream/models.ts";
import { streamDecoder } from "./upstream/stream-decoder.ts";
import { unable } from "./upstream/unable.ts";
import { decodeError } from "./upstream/upstream-error.ts";

/** Google's Gemini API (discovery v1beta), with the fields that Vertex AI adds to it. */
export const generateContent: Protocol = {
	name: protocolName,
	conversations: references,
	client: {
		paths: [
			...roots.map((root) => `${root}/models/*`),
			// Several SDKs take a name with a slash for a path, and leave out `models/` before it.
			...Object.keys(verbs).map((verb) => `/v1beta/*:${verb}`),
		],
		keyInQuery: true,
		claims: (headers, { searchParams }) =>
			headers.has("x-goog-api-key") || headers.has("x-goog-api-client") || searchParams.has("key"),
		operationAt,
		read: readCall,
		decodeRequest,
		lossWords,
		encodeResponse,
		streamEncoder,
		encodeTokenCount,
		renderDenial,
		renderStreamDenial,
		tellsFailure: endsInOwnWord,
		streamType: ({ url }) => (wantsEvents(url) ? "text/event-stream; charset=utf-8" : "application/json"),
		models,
	},
	upstream: {
		path: ({ operation, model, stream }) =>
			modelPath(model, verbFor(operation, stream)) + (stream && operation === "generate" ? "?alt=sse" : ""),
		headers: (key) => ({
			"content-type": "application/json",
			...(key === undefined ? {} : { "x-goog-api-key": key }),
		}),
		encodeRequest,
		decodeResponse,
		streamDecoder,
		decodeError,
		unable,
		models: modelQuestion,
		decodeTokenCount,
	},
	passthrough: { request: passthroughRequest, observe, restore, observer, editor },
	facts,
};
