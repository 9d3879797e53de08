/** Failures that come as an answer of 200 or amid a stream, in the shapes in which vendors tell them. */
import {
	asRecord,
	asText,
	type Denial,
	definedOnly,
	isRecord,
	lookup,
	openAiFailureWithin,
	type WireRecord,
} from "#core";

/** MiniMax's numbers: the status that others would give, and OpenAI's code. Its other numbers are failures of its own. */
const miniMax = lookup<{ readonly status: number; readonly as?: string }>({
	1001: { status: 504 },
	1002: { status: 429 },
	1004: { status: 401 },
	1008: { status: 402 },
	1026: { status: 400, as: "content_filter" },
	1027: { status: 400, as: "content_filter" },
	1039: { status: 400, as: "context_length_exceeded" },
	1041: { status: 429 },
	1042: { status: 400 },
	2013: { status: 400 },
	2045: { status: 429 },
	2049: { status: 401 },
	2056: { status: 429 },
});

/** MiniMax tells beside each answer how it went: 0 is well. */
const miniMaxFailure = (told: WireRecord): Denial | undefined => {
	const number = told["status_code"];
	if (typeof number !== "number" || number === 0) return undefined;
	const { status = 500, as: code } = miniMax[String(number)] ?? {};
	return openAiFailureWithin({ error: definedOnly({ message: asText(told["status_msg"]), status, code }) });
};

/** Why what came is no answer, or ends here; undefined where it tells no failure. */
export const failureWithin = (root: WireRecord): Denial | undefined => {
	const { error } = root;
	if (isRecord(error) || (typeof error === "string" && error !== "")) return openAiFailureWithin(root);
	// Mistral, and servers that write errors as it does: the whole of it is the error.
	if (root["object"] === "error") return openAiFailureWithin(root);
	// Groq, of a stream that it stops early.
	const stopped = asText(asRecord(root["x_groq"])["error"]);
	if (stopped) return openAiFailureWithin({ error: stopped });
	return miniMaxFailure(asRecord(root["base_resp"]));
};
