/** Blocks of an upstream's answer, from the wire. */
import {
	asList,
	asText,
	type Block,
	calledTool,
	type DecodeContext,
	definedOnly,
	isRecord,
	type ToolArguments,
	type ToolCallBlock,
	unwrapInput,
	type WireRecord,
} from "#core";
import { originOf } from "../carried.ts";
import { decodeCitation } from "../citations.ts";
import { protocolName } from "../name.ts";
import { decodeServerCall, decodeServerResult, isServerCall, isServerResult } from "../server-tools.ts";
import { ownNames, withOwnNames } from "./member-names.ts";
import { answerNames, isAnswer } from "./structured.ts";

const argumentsOf = (input: unknown, kind: ToolCallBlock["kind"]): ToolArguments => {
	if (kind === "custom") {
		// A call that was cut off has its arguments as text.
		return { form: "text", text: unwrapInput(typeof input === "string" ? input : JSON.stringify(input ?? {})) };
	}
	if (typeof input === "string" && input !== "") return { form: "invalid", text: input };
	const value = input === undefined || input === null || input === "" ? {} : input;
	return { form: "json", value, text: JSON.stringify(value) };
};

/** A client tool's call; `input` is what it is called with. */
export const decodeCall = (told: WireRecord, input: unknown, context: DecodeContext): ToolCallBlock => {
	const called = calledTool(asText(told["name"]) ?? "", context);
	const { name, namespace, kind } = called;
	const own = isRecord(input) ? ownNames(called, context.request) : undefined;
	const { caller, toolset_name: toolset } = told;
	const bag = definedOnly({ caller: caller ?? undefined, toolset_name: toolset ?? undefined });
	return {
		type: "tool_call",
		id: asText(told["id"]) ?? "",
		name,
		kind,
		arguments: argumentsOf(own ? withOwnNames(input, own) : input, kind),
		...definedOnly({ namespace, extras: Object.keys(bag).length > 0 ? { [protocolName]: bag } : undefined }),
	};
};

const decodeText = (told: WireRecord, family: string): Block => {
	const text = asText(told["text"]) ?? "";
	const citations = asList(told["citations"]).flatMap((value) => {
		const citation = decodeCitation(value, family);
		return citation ? [{ ...citation, target: { start: 0, end: text.length } }] : [];
	});
	return { type: "text", text, ...(citations.length > 0 && { citations }) };
};

const decodeThinking = (told: WireRecord, family: string): Block => {
	const value = asText(told["signature"]) ?? "";
	return {
		type: "thinking",
		text: asText(told["thinking"]) ?? "",
		form: "full",
		...(value !== "" && { signature: { value, origin: originOf(family) } }),
	};
};

/** The input of the call that is the answer, as the text that the client reads. */
export const answerText = (input: unknown, context: DecodeContext): string => {
	const own = isRecord(input) ? answerNames(context) : undefined;
	return JSON.stringify(own ? withOwnNames(input, own) : input);
};

/** A whole block. Whatever is not known is kept for clients of this protocol. */
export const decodeOutputBlock = (told: WireRecord, context: DecodeContext): Block => {
	const type = asText(told["type"]) ?? "";
	const origin = originOf(context.family);
	switch (type) {
		case "text":
			return decodeText(told, context.family);
		case "thinking":
			return decodeThinking(told, context.family);
		case "redacted_thinking":
			return { type: "opaque_thinking", data: { value: asText(told["data"]) ?? "", origin } };
		case "tool_use":
			if (isAnswer(told, context)) return { type: "text", text: answerText(told["input"] ?? {}, context) };
			return decodeCall(told, told["input"], context);
		default:
			if (isServerCall(type)) return decodeServerCall(told, origin);
			return isServerResult(type) ? decodeServerResult(told, origin) : { type: "unknown", origin, raw: told };
	}
};
