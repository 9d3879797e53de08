/** The next turn of a conversation as clients send it: the answer as they got it, results for its calls, a further word. */
import { asList, asRecord, asText, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";

const result = "42";
const word = "Go on.";

/** The request body that follows `answer` to `request`. */
export const nextRequest = (protocol: ProtocolName, request: unknown, answer: unknown): WireRecord => {
	const before = asRecord(request);
	switch (protocol) {
		case "chat-completions":
			return { ...before, messages: [...asList(before["messages"]), ...afterChoice(asRecord(answer))] };
		case "responses":
			return { ...before, input: [...inputOf(before["input"]), ...afterItems(asRecord(answer))] };
		case "messages":
			return { ...before, messages: [...asList(before["messages"]), ...afterMessage(asRecord(answer))] };
		case "generate-content":
			return { ...before, contents: [...asList(before["contents"]), ...afterContent(asRecord(answer))] };
	}
};

const afterChoice = (completion: WireRecord): readonly WireRecord[] => {
	const message = asRecord(asRecord(asList(completion["choices"])[0])["message"]);
	const calls = asList(message["tool_calls"]).map(asRecord);
	const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: result }));
	return [message, ...results, { role: "user", content: word }];
};

const inputOf = (input: unknown): readonly unknown[] =>
	typeof input === "string" ? [{ role: "user", content: input }] : asList(input);

const afterItems = (response: WireRecord): readonly WireRecord[] => {
	const items = asList(response["output"]).map(asRecord);
	const results = items.flatMap(({ type, call_id }) => {
		if (type === "function_call") return [{ type: "function_call_output", call_id, output: result }];
		return type === "custom_tool_call" ? [{ type: "custom_tool_call_output", call_id, output: result }] : [];
	});
	return [...items, ...results, { role: "user", content: word }];
};

const afterMessage = (message: WireRecord): readonly WireRecord[] => {
	const content = asList(message["content"]).map(asRecord);
	const results = content
		.filter(({ type }) => type === "tool_use")
		.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: result }));
	return [
		{ role: "assistant", content },
		{ role: "user", content: [...results, { type: "text", text: word }] },
	];
};

const afterContent = (response: WireRecord): readonly WireRecord[] => {
	const content = asRecord(asRecord(asList(response["candidates"])[0])["content"]);
	const calls = asList(content["parts"]).map((part) => asRecord(asRecord(part)["functionCall"]));
	const results = calls
		.filter(({ name }) => name !== undefined)
		.map(({ id, name }) => ({ functionResponse: { ...(id !== undefined && { id }), name, response: { result } } }));
	return [content, { role: "user", parts: [...results, { text: word }] }];
};

/** Names of the fields that hold what only its maker can read. */
const sealed = new Set(["signature", "data", "encrypted_content", "thoughtSignature"]);

/** Sealed values of a recorded answer, in the places its protocol has them. */
export const sealedIn = (protocol: ProtocolName, answer: WireRecord): readonly string[] => {
	switch (protocol) {
		case "chat-completions":
			return [];
		case "responses":
			return valuesOf(asList(answer["output"]).filter((item) => asRecord(item)["type"] === "reasoning"));
		case "messages":
			return valuesOf(asList(answer["content"]).filter((block) => /thinking/.test(String(asRecord(block)["type"]))));
		case "generate-content":
			return valuesOf(asList(asRecord(asRecord(asList(answer["candidates"])[0])["content"])["parts"]).filter(travels));
	}
};

/** Parts that clients of other protocols can hold; the seal of any other goes with its part. */
const travels = (part: unknown): boolean => {
	const { text, functionCall } = asRecord(part);
	return text !== undefined || functionCall !== undefined;
};

const valuesOf = (nodes: readonly unknown[]): readonly string[] =>
	nodes.flatMap((node) =>
		Object.entries(asRecord(node)).flatMap(([key, value]) => {
			const text = sealed.has(key) ? asText(value) : undefined;
			return text ? [text] : [];
		}),
	);
