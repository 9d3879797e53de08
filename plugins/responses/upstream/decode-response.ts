/** A whole answer of an upstream as the neutral response. */
import {
	asList,
	asNumber,
	asText,
	type Block,
	type Candidate,
	type DecodeContext,
	definedOnly,
	Fault,
	isRecord,
	type NeutralResponse,
	openAiFailureWithin,
} from "#core";
import { decodeItem } from "../decode-item.ts";
import { decodeFinish } from "../finish.ts";
import { usageFor } from "../usage.ts";

const notAResponse = (): Fault =>
	new Fault({
		kind: "upstream",
		message: "The upstream answered with something other than a response object; ask again.",
	});

/** What the output says of itself: whether a client's tool was called, and whether the model refused. */
const seenIn = (blocks: readonly Block[]): { readonly calls: boolean; readonly refusal: boolean } => ({
	calls: blocks.some(({ type }) => type === "tool_call"),
	refusal: blocks.some(({ type }) => type === "refusal"),
});

/** Throws `Fault` (`upstream`) for a body that is no response. A failed response is a response with `error`. */
export const decodeResponse = (body: unknown, { family, names, request }: DecodeContext): NeutralResponse => {
	if (!isRecord(body)) throw notAResponse();
	const failed = body["status"] === "failed" || isRecord(body["error"]);
	const output = body["output"];
	if (!failed && !Array.isArray(output)) throw notAResponse();
	const context = { family, toolNames: names.tools };
	const blocks = asList(output).flatMap((item) => (isRecord(item) ? decodeItem(item, context) : []));
	const candidate: Candidate = { index: 0, blocks, finish: decodeFinish(body, seenIn(blocks)) };
	return {
		id: asText(body["id"]) ?? "",
		createdAt: asNumber(body["created_at"]) ?? 0,
		model: asText(body["model"]) ?? "",
		candidates: failed ? [] : [candidate],
		...definedOnly({
			usage: usageFor(request.protocol, body, output),
			tier: asText(body["service_tier"]),
			error: failed ? openAiFailureWithin(body) : undefined,
		}),
	};
};
