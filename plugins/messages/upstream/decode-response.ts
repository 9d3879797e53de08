/** A whole answer of an upstream as a neutral response. */
import {
	asList,
	asRecord,
	asText,
	type DecodeContext,
	definedOnly,
	type Extras,
	Fault,
	isRecord,
	type NeutralResponse,
	type WireRecord,
} from "#core";
import { decodeFinish } from "../finish.ts";
import { protocolName } from "../name.ts";
import { decodeTier, decodeUsage } from "../usage.ts";
import { decodeOutputBlock } from "./output-blocks.ts";
import { withoutPreface } from "./structured.ts";
import { decodeToldError } from "./upstream-error.ts";

const known = new Set("id type role model content stop_reason stop_sequence stop_details usage".split(" "));

/** What a message says beyond what is neutral: the container, the context management, whatever comes next. */
export const messageExtras = (message: WireRecord): Extras | undefined => {
	const bag: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(message)) if (!known.has(name) && value !== null) bag[name] = value;
	return Object.keys(bag).length === 0 ? undefined : { [protocolName]: bag };
};

/** The time the answer was made, in seconds: the protocol does not tell it. */
export const now = (): number => Math.floor(Date.now() / 1000);

const failed = (body: WireRecord): NeutralResponse => ({
	id: asText(body["request_id"]) ?? "",
	createdAt: now(),
	model: "",
	candidates: [],
	error: decodeToldError(body),
});

/** Throws `Fault` (`upstream`) for what is neither a message nor an error. */
export const decodeResponse = (body: unknown, context: DecodeContext): NeutralResponse => {
	if (isRecord(body) && (body["type"] === "error" || isRecord(body["error"]))) return failed(body);
	if (!isRecord(body) || !Array.isArray(body["content"]))
		throw new Fault({ kind: "upstream", message: "The upstream answered with something that is not a message." });
	const { usage } = body;
	const content = withoutPreface(asList(body["content"]).map(asRecord), context);
	const blocks = content.map((block) => decodeOutputBlock(block, context));
	return {
		id: asText(body["id"]) ?? "",
		createdAt: now(),
		model: asText(body["model"]) ?? "",
		candidates: [{ index: 0, blocks, finish: decodeFinish(body) }],
		...definedOnly({ usage: decodeUsage(usage), tier: decodeTier(usage), extras: messageExtras(body) }),
	};
};
