import { describe, expect, test } from "bun:test";
import { answerOf, bodyWith, contextFor, dataOf, neutralOf, streamOf } from "./fixtures/ask.ts";
import { chunk, done, ending } from "./fixtures/chunks.ts";
import { answerWith, eventsWith } from "./fixtures/events.ts";
import { chatCompletions } from "./protocol.ts";

const { client, upstream } = chatCompletions;
const plain = neutralOf(bodyWith({ model: "fast" }));
const streaming = neutralOf(bodyWith({ model: "fast", stream: true }));

/** A character of two units before the claim, one within it, one behind it. */
const content = "🌍 Rain 🌧️ falls 😀.";
const claim = "Rain 🌧️ falls";
const from = content.indexOf(claim);
const start_index = [...content.slice(0, from)].length;
const url_citation = { start_index, end_index: start_index + [...claim].length, url: "https://a.test", title: "A" };
const annotations = [{ type: "url_citation", url_citation }];
const target = { start: from, end: from + claim.length };
const cited = {
	type: "text",
	text: content,
	citations: [{ kind: "url", url: "https://a.test", title: "A", target }],
} as const;

describe("spans of citations, counted in characters on the wire and in units within", () => {
	test("of an upstream's whole answer", () => {
		const message = { role: "assistant", content, annotations };
		const body = { id: "c", created: 5, model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] };
		expect(upstream.decodeResponse(body, contextFor(plain, "gpt-4o")).candidates[0]?.blocks).toEqual([cited]);
	});

	test("of an upstream's stream, a character torn between two chunks", () => {
		const chunks = [
			chunk({ role: "assistant", content: content.slice(0, 1) }),
			chunk({ content: content.slice(1, from + 6) }),
			chunk({ content: content.slice(from + 6) }),
			chunk({ annotations }),
			ending("stop"),
			done,
		];
		expect(answerOf(chunks, contextFor(streaming, "gpt-4o")).candidates[0]?.blocks).toEqual([cited]);
	});

	test("for a client, whole and streamed, behind another text", () => {
		const before = { type: "text", text: "😀😀 " } as const;
		const later = { ...url_citation, start_index: start_index + 3, end_index: url_citation.end_index + 3 };
		const wanted = [{ type: "url_citation", url_citation: later }];
		const answer = answerWith([before, cited]);
		expect(client.encodeResponse(answer, plain).body).toMatchObject({
			choices: [{ message: { content: `😀😀 ${content}`, annotations: wanted } }],
		});
		const told = dataOf(streamOf(eventsWith(answer), streaming)).flatMap((data) =>
			data.includes("url_citation") ? [JSON.parse(data).choices[0].delta.annotations] : [],
		);
		expect(told).toEqual([wanted]);
	});

	test("of a source that supports all of a text, and of a search without citations", () => {
		const whole = { start_index: 0, end_index: [...content].length };
		const source = { url: "https://a.test", title: "A" };
		const { target: _, ...everything } = cited.citations[0];
		const text = { type: "text", text: content } as const;
		const grounding = { queries: [], sources: [source] };
		const candidates = [{ index: 0, blocks: [text], finish: { reason: "stop" }, grounding }] as const;
		for (const answer of [answerWith([{ ...cited, citations: [everything] }]), answerWith([], { candidates })])
			expect(client.encodeResponse(answer, plain).body).toMatchObject({
				choices: [{ message: { annotations: [{ url_citation: { ...whole, ...source } }] } }],
			});
	});
});
