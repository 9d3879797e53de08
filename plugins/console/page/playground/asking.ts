/** How each protocol is asked and how its events are read: what the playground needs, and no more. */

import { asWire, list, text, type Wire, wires } from "../data/read.ts";
import { inPath } from "../data/shell.ts";

export interface Asking {
	readonly name: string;
	readonly path: (model: string) => string;
	readonly body: (model: string, prompt: string) => Wire;
	/** The words that one event adds. */
	readonly words: (event: Wire) => string;
}

/** What an event says went wrong after the answer had begun, in whatever protocol. */
export const wrongIn = (event: Wire): string | undefined =>
	[event["error"], asWire(event["response"])["error"], event["type"] === "error" && event]
		.map((error) => text(asWire(error), "message"))
		.find((message) => message !== undefined);

const partsText = (event: Wire): string =>
	wires(event, "candidates")
		.flatMap((candidate) => wires(asWire(candidate["content"]), "parts"))
		.filter((part) => part["thought"] !== true)
		.map((part) => text(part, "text") ?? "")
		.join("");

export const askings: readonly Asking[] = [
	{
		name: "chat-completions",
		path: () => "/v1/chat/completions",
		body: (model, prompt) => ({ model, stream: true, messages: [{ role: "user", content: prompt }] }),
		words: (event) => text(asWire(asWire(list(event, "choices")[0])["delta"]), "content") ?? "",
	},
	{
		name: "responses",
		path: () => "/v1/responses",
		body: (model, prompt) => ({ model, stream: true, input: prompt }),
		words: (event) => (text(event, "type") === "response.output_text.delta" ? (text(event, "delta") ?? "") : ""),
	},
	{
		name: "messages",
		path: () => "/v1/messages",
		body: (model, prompt) => ({
			model,
			stream: true,
			max_tokens: 2000,
			messages: [{ role: "user", content: prompt }],
		}),
		words: (event) => text(asWire(event["delta"]), "text") ?? "",
	},
	{
		name: "generate-content",
		path: (model) => `/v1beta/models/${inPath(model)}:streamGenerateContent?alt=sse`,
		body: (_, prompt) => ({ contents: [{ role: "user", parts: [{ text: prompt }] }] }),
		words: partsText,
	},
];
