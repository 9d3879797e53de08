/** The `response` object: what this protocol echoes of the request, and the members that tell of the answer. */
import { asList, asRecord, isRecord, type NeutralRequest, type Usage, type WireRecord } from "#core";
import type { encodeEnding } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

const tiers = new Set(["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"]);

/** A tier's name here; what other protocols call their usual one is `default`. */
const tierOf = (tier: string | undefined): string => (tier !== undefined && tiers.has(tier) ? tier : "default");

/** A tool as it is echoed: defaults are written out, because typed clients cannot read it without them. */
const echoedTool = (tool: unknown): unknown => {
	if (!isRecord(tool)) return tool;
	if (tool["type"] === "custom") return { ...tool, format: tool["format"] ?? { type: "text" } };
	if (tool["type"] !== "function") return tool;
	return {
		...tool,
		description: tool["description"] ?? null,
		parameters: tool["parameters"] ?? null,
		strict: tool["strict"] ?? true,
	};
};

/** What is echoed of the request where it says nothing. */
const defaults: WireRecord = {
	instructions: null,
	max_output_tokens: null,
	max_tool_calls: null,
	parallel_tool_calls: true,
	previous_response_id: null,
	prompt_cache_key: null,
	safety_identifier: null,
	temperature: 1,
	tool_choice: "auto",
	top_logprobs: 0,
	top_p: 1,
	truncation: "disabled",
	metadata: {},
};

/** What is the same in every state of the response. `stores`: whether answers are kept here. */
export const echoOf = ({ raw, model }: Pick<NeutralRequest, "raw" | "model">, stores: boolean): WireRecord => {
	const echo: Record<string, unknown> = { background: false, model };
	for (const [name, value] of Object.entries(defaults)) echo[name] = raw[name] ?? value;
	const text = asRecord(raw["text"]);
	return {
		...echo,
		...(typeof raw["user"] === "string" && { user: raw["user"] }),
		reasoning: { effort: null, summary: null, ...asRecord(raw["reasoning"]) },
		store: stores && raw["store"] !== false,
		text: { ...text, format: text["format"] ?? { type: "text" }, verbosity: text["verbosity"] ?? "medium" },
		tools: asList(raw["tools"]).map(echoedTool),
	};
};

/** What a response object is made of, beside what it echoes. */
export interface ResponseState {
	readonly id: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	readonly output: readonly unknown[];
	readonly tier: string | undefined;
	readonly usage: Usage | undefined;
}

/** The response while it is made. */
export const openResponse = (echo: WireRecord, { id, createdAt, tier }: ResponseState): WireRecord => ({
	id,
	object: "response",
	created_at: createdAt,
	status: "in_progress",
	completed_at: null,
	error: null,
	incomplete_details: null,
	...echo,
	output: [],
	service_tier: tierOf(tier),
	usage: null,
});

const unknownUsage: Usage = { input: { total: 0 }, output: { total: 0 } };

/** The response as it ended. `completedAt`: seconds since 1970. */
export const endedResponse = (
	echo: WireRecord,
	{ id, createdAt, output, tier, usage }: ResponseState,
	ending: ReturnType<typeof encodeEnding>,
	completedAt: number,
): WireRecord => ({
	id,
	object: "response",
	created_at: createdAt,
	completed_at: ending.status === "completed" ? completedAt : null,
	...ending,
	...echo,
	output,
	service_tier: tierOf(tier),
	// Typed clients cannot read an answer without usage; a failure needs none.
	usage: usage === undefined && ending.status === "failed" ? null : encodeUsage(usage ?? unknownUsage),
});
