/** The protocol as the core sees it: every part lives in a file of its own, this one only joins them. */
import {
	asCount,
	asRecord,
	type Conversations,
	decodeOpenAiModels,
	openAiListing,
	openAiPaths,
	type Protocol,
} from "#core";
import { decodeRequest } from "./client/decode-request.ts";
import { encodeResponse } from "./client/encode-response.ts";
import { errorEvent, renderDenial } from "./client/errors.ts";
import { lossWords } from "./client/loss-words.ts";
import { operationAt, readCall } from "./client/read.ts";
import { answerEncoder } from "./client/stream-encoder.ts";
import { afterCompaction } from "./compaction/compacted-answer.ts";
import { createCompaction } from "./compaction/compacting.ts";
import { createSealedSummaries, type SealedSummaries } from "./compaction/sealed-summaries.ts";
import { encodeSummary, summaryEncoder } from "./compaction/summary-answer.ts";
import { facts } from "./facts.ts";
import { protocolName } from "./name.ts";
import { observer } from "./passthrough/observe.ts";
import { observe } from "./passthrough/observe-whole.ts";
import { passthroughRequest, pathFor } from "./passthrough/request.ts";
import { editor, restore } from "./passthrough/restore.ts";
import { decodeResponse } from "./upstream/decode-response.ts";
import { encodeRequest } from "./upstream/encode-request.ts";
import { streamDecoder } from "./upstream/stream-decoder.ts";
import { wire } from "./upstream/wire.ts";

interface ProtocolOptions {
	/** Finds and keeps conversations; absent where the codec stands alone. */
	readonly conversations?: Conversations;
	/** Absent where the codec stands alone. */
	readonly summaries?: SealedSummaries;
	/** Whether answers are kept. */
	readonly stores: boolean;
	/** Seconds since 1970. */
	now(): number;
}

/** OpenAI's Responses (OpenAPI 2.3), with the dialects of the vendors that speak it. */
export const createResponses = ({
	conversations,
	stores,
	now,
	summaries = createSealedSummaries(),
}: ProtocolOptions): Protocol => ({
	name: protocolName,
	...(conversations && { conversations }),
	client: {
		paths: openAiPaths("/responses").flatMap((root) => [root, `${root}/input_tokens`, `${root}/compact`]),
		operationAt,
		read: readCall,
		decodeRequest,
		lossWords,
		encodeResponse: (response, request) =>
			request.compacts
				? { body: encodeSummary(response, request, { stores, now }, summaries) }
				: encodeResponse(response, afterCompaction(answerEncoder(request, { stores, now, live: false }), request)),
		streamEncoder: (request) =>
			request.compacts
				? summaryEncoder(request, { stores, now, live: true }, summaries)
				: afterCompaction(answerEncoder(request, { stores, now, live: true }), request),
		encodeTokenCount: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
		renderDenial,
		renderStreamDenial: (denial) => errorEvent(denial, 0),
		streamType: () => "text/event-stream; charset=utf-8",
		compaction: createCompaction(summaries),
		keepAlive: ": keep-alive\n\n",
		models: openAiListing,
	},
	upstream: {
		path: ({ operation }) => pathFor(operation),
		...wire,
		encodeRequest,
		decodeResponse,
		streamDecoder,
		models: { path: "/models", decode: decodeOpenAiModels },
		decodeTokenCount: (body) => asCount(asRecord(body)["input_tokens"]),
	},
	passthrough: {
		request: passthroughRequest,
		observe: (body) => observe(body, stores),
		restore,
		observer: (ask) => observer(ask, stores),
		editor,
	},
	facts,
});

/** The protocol without memory: what the codec alone can do. */
export const responses: Protocol = createResponses({
	stores: false,
	now: () => Math.floor(Date.now() / 1000),
});
