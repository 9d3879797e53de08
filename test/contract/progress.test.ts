/** How far a passing stream has come is told twice: cheaply after every chunk, and among the rest at its end. */
import { expect, test } from "bun:test";
import type { ModelAsk, ModelRequest, Protocol } from "#core";
import { EventFrames } from "../../core/wire/frames.ts";
import { readJsonBody } from "../../core/wire/json-body.ts";
import { chatCompletions } from "../../plugins/chat-completions/protocol.ts";
import { generateContent } from "../../plugins/generate-content/protocol.ts";
import { messages } from "../../plugins/messages/protocol.ts";
import { responses } from "../../plugins/responses/protocol.ts";
import { streamFor } from "../bench/streams.ts";

const said = [{ role: "user", content: "Say hello." }];
const questions: readonly (readonly [Protocol, string, object])[] = [
	[chatCompletions, "/v1/chat/completions", { model: "m", stream: true, messages: said }],
	[messages, "/v1/messages", { model: "m", max_tokens: 9, stream: true, messages: said }],
	[responses, "/v1/responses", { model: "m", stream: true, input: "Say hello." }],
	[generateContent, "/v1beta/models/m:streamGenerateContent?alt=sse", { contents: [{ parts: [{ text: "Hello." }] }] }],
];

const askOf = (protocol: Protocol, path: string, question: object): ModelAsk => {
	const body = readJsonBody(new TextEncoder().encode(JSON.stringify(question)));
	const url = new URL(path, "http://portico.test");
	const request: ModelRequest = { params: { "*": "m:streamGenerateContent" }, headers: new Headers(), body, url };
	return { ...request, protocol, call: protocol.client.read(request) };
};

test.each(questions.map(([protocol, ...question]) => [protocol.name, protocol, ...question] as const))(
	"%s says the same both ways, from the first event to the end",
	(_, protocol, path, question) => {
		const observer = protocol.passthrough.observer(askOf(protocol, path, question));
		const { first, words, last } = streamFor(path);
		const told: number[] = [];
		for (const event of new EventFrames(1e8).feed(new TextEncoder().encode([first, ...words, last].join("")))) {
			observer.event(event);
			const { finished, pieces, contentBytes } = observer.result();
			expect(observer.progress?.()).toEqual({ finished, pieces, contentBytes });
			told.push(pieces);
		}
		expect(told.at(-1)).toBeGreaterThanOrEqual(words.length);
		expect(observer.result().finished).toBe(true);
		expect(observer.result().usage?.output.total).toBe(200);
	},
);
