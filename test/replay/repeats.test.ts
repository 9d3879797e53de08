/**
 * Events that repeat the one before but for their text take a short way through decoders and observers. They must tell
 * there what they tell on the long one: each stream is read as it came, and once more spaced so that nothing repeats.
 */
import { describe, expect, test } from "bun:test";
import type { ModelAsk, NeutralEvent, NeutralRequest, Protocol, StreamEvent } from "#core";
import { EventFrames } from "../../core/wire/frames.ts";
import { readJsonBody } from "../../core/wire/json-body.ts";
import { chatCompletions } from "../../plugins/chat-completions/protocol.ts";
import { generateContent } from "../../plugins/generate-content/protocol.ts";
import { messages } from "../../plugins/messages/protocol.ts";
import { responses } from "../../plugins/responses/protocol.ts";
import { atLeast, type ProtocolName, protocolNames, recordings } from "../support/recordings.ts";

const protocols: Readonly<Record<ProtocolName, Protocol>> = {
	"chat-completions": chatCompletions,
	messages,
	responses,
	"generate-content": generateContent,
};

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const askOf = (protocol: Protocol): ModelAsk => ({
	url: new URL("http://localhost/v1beta/models/m:streamGenerateContent?alt=sse"),
	params: { "*": "m:streamGenerateContent" },
	headers: new Headers(),
	body: readJsonBody(bytes({ model: "m", messages: [], stream: true })),
	protocol,
	call: { operation: "generate", name: "m", stream: true, candidates: 1 },
});

const request: NeutralRequest = chatCompletions.client.decodeRequest(askOf(chatCompletions));

const eventsOf = (text: string): readonly StreamEvent[] => {
	const frames = new EventFrames(1e8);
	return [...frames.feed(new TextEncoder().encode(text)), ...frames.end()];
};

/** The same JSON, with one space more or less than the event before. */
const spaced = (events: readonly StreamEvent[]): readonly StreamEvent[] =>
	events.map((event, at) => (at % 2 === 0 ? event : { ...event, data: event.data.replace(/^\{/, "{ ") }));

/** What the decoder makes of it, but for the hour. */
const decoded = (protocol: Protocol, events: readonly StreamEvent[]): readonly NeutralEvent[] => {
	const names = { tools: new Map<string, string>() };
	const decoder = protocol.upstream.streamDecoder({ family: "gpt", names, request });
	const all = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
	return all.map((event) => (event.type === "start" ? { ...event, createdAt: 0 } : event));
};

const observed = (protocol: Protocol, events: readonly StreamEvent[]): unknown => {
	const observer = protocol.passthrough.observer(askOf(protocol));
	for (const event of events) observer.event(event);
	return observer.result();
};

const expectTheSame = (protocol: Protocol, text: string, name: string): void => {
	const events = eventsOf(text);
	expect(decoded(protocol, events), name).toEqual(decoded(protocol, spaced(events)));
	expect(observed(protocol, events), name).toEqual(observed(protocol, spaced(events)));
};

describe("every recorded stream", () => {
	test.each([...protocolNames])(
		"of %s",
		(name) => {
			const streams = recordings(name).flatMap(({ answer, name: source }) =>
				answer.form === "events" ? [{ source, text: answer.text }] : [],
			);
			expect(streams.length).toBeGreaterThanOrEqual(atLeast(50));
			for (const { source, text } of streams) expectTheSame(protocols[name], text, source);
		},
		120_000,
	);
});

const data = (...values: readonly unknown[]): string =>
	values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");

const choice = (index: number, delta: object, finish: string | null = null): object => ({
	id: "c",
	object: "chat.completion.chunk",
	created: 1,
	model: "m",
	choices: [{ index, delta, finish_reason: finish }],
});

const candidate = (index: number, part: object, more: object = {}): object => ({
	candidates: [{ index, content: { role: "model", parts: [part] } }],
	responseId: "r",
	...more,
});

const block = (index: number, type: string, start: object, deltas: readonly object[]): readonly object[] => [
	{ type: "content_block_start", index, content_block: { type, ...start } },
	...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
	{ type: "content_block_stop", index },
];

const words = ["Hello", " ", "wörld", ' "quoted" \\ \n', "", "€", "!"];

/** Streams in which what repeats is interrupted, and goes on for another. */
const tricky: readonly [string, Protocol, string][] = [
	[
		"choices in turns, and one of them ends",
		chatCompletions,
		data(
			...words.flatMap((content) => [
				choice(0, { content }),
				choice(0, { content: `${content}.` }),
				choice(1, { content }),
			]),
			choice(1, {}, "stop"),
			...words.map((content) => choice(0, { content })),
			choice(0, {}, "stop"),
		),
	],
	[
		"reasoning and calls between texts",
		chatCompletions,
		data(
			...words.map((reasoning_content) => choice(0, { content: null, reasoning_content })),
			...words.map((content) => choice(0, { content })),
			choice(0, { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }] }),
			...words.map((text) => choice(0, { tool_calls: [{ index: 0, function: { arguments: JSON.stringify(text) } }] })),
			...words.map((content) => choice(0, { content })),
			choice(0, {}, "tool_calls"),
		),
	],
	[
		"the same number for another block",
		messages,
		data(
			{ type: "message_start", message: { id: "m", model: "m", usage: { input_tokens: 1, output_tokens: 1 } } },
			...block(
				0,
				"thinking",
				{},
				words.map((thinking) => ({ type: "thinking_delta", thinking })),
			),
			...block(
				1,
				"text",
				{},
				words.map((text) => ({ type: "text_delta", text })),
			),
			...block(
				1,
				"text",
				{},
				words.map((text) => ({ type: "text_delta", text })),
			),
			{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
			{ type: "message_stop" },
		),
	],
	[
		"items without numbers",
		responses,
		data(
			{ type: "response.created", response: { id: "resp_1", model: "m", created_at: 1 } },
			...[0, 1].flatMap(() => [
				{ type: "response.output_item.added", item: { type: "message", role: "assistant", content: [] } },
				...words.map((delta, at) => ({
					type: "response.output_text.delta",
					sequence_number: at,
					content_index: 0,
					delta,
				})),
			]),
			{ type: "response.completed", response: { id: "resp_1", status: "completed", output: [] } },
		),
	],
	[
		"thoughts, signatures and counts between texts",
		generateContent,
		data(
			...words.map((text) => candidate(0, { text, thought: true })),
			candidate(0, { text: "", thought: true, thoughtSignature: "s" }),
			...words.map((text) => candidate(0, { text })),
			...words.map((text) => candidate(1, { text })),
			...words.map((text) => candidate(0, { text }, { usageMetadata: { candidatesTokenCount: 3 } })),
			{ candidates: [0, 1].map((index) => ({ index, finishReason: "STOP" })) },
		),
	],
];

test.each(tricky)("%s", (name, protocol, text) => {
	expect(decoded(protocol, eventsOf(text)).length).toBeGreaterThan(words.length);
	expectTheSame(protocol, text, name);
});
