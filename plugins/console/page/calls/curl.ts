/** A call as curl, without its key and without its words, which nobody keeps. */
import { inPath, quoted } from "../data/shell.ts";
import type { CallRecord } from "./call-record.ts";

type Asked = Pick<CallRecord, "protocol" | "operation" | "model" | "stream">;

/** Undefined for what takes more than a word: a picture, a sound. */
const request = ({
	protocol,
	operation,
	model = "demo",
	stream,
}: Asked): readonly [path: string, body: unknown] | undefined => {
	const more = stream ? { stream: true } : {};
	const messages = [{ role: "user", content: "Hello" }];
	switch (protocol) {
		case "responses":
			return ["/v1/responses", { model, input: "Hello", ...more }];
		case "messages":
			return ["/v1/messages", { model, max_tokens: 500, messages, ...more }];
		case "generate-content":
			return [
				`/v1beta/models/${inPath(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
				{ contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
			];
		case "tasks":
			return ["/v1/tasks", { kind: operation, model, prompt: "Hello" }];
		case "embeddings":
			return ["/v1/embeddings", { model, input: "Hello" }];
		case "chat-completions":
		case undefined:
			return ["/v1/chat/completions", { model, messages, ...more }];
		default:
			return undefined;
	}
};

export const curlFor = (base: string, call: Asked): string | undefined => {
	const asked = request(call);
	if (!asked) return undefined;
	const [path, body] = asked;
	return [
		`curl ${call.stream ? "-N " : ""}${quoted(base + path)} \\`,
		'  -H "authorization: Bearer $PORTICO_KEY" \\',
		'  -H "content-type: application/json" \\',
		`  -d ${quoted(JSON.stringify(body))}`,
	].join("\n");
};
