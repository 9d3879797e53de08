/** The arguments of a call, which are an object here: a custom tool has its text in a member of it. */
import { asText, type ToolCallBlock, type WireRecord } from "#core";

export const argumentsOf = (args: WireRecord, kind: "function" | "custom"): ToolCallBlock["arguments"] => {
	if (kind === "custom") return { form: "text", text: asText(args["input"]) ?? JSON.stringify(args) };
	return { form: "json", value: args, text: JSON.stringify(args) };
};
