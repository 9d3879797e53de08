import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	type Block,
	explode,
	fold,
	isRecord,
	type NeutralEvent,
	type NeutralResponse,
	normalizeResponse,
	parseJson,
} from "#core";
import { chunkings } from "../../test/support/chunkings.ts";
import { streamFaults } from "../../test/support/grammar/check.ts";
import { answering, chunksOf, decoded, events, given, neutral, streamed, type Wire } from "./fixtures/asks.ts";
import { generateContent } from "./protocol.ts";
import { isCarried } from "./signatures.ts";
import { bytesBefore, TextOffsets } from "./text-offsets.ts";
import { fittedSchema } from "./upstream/json-schema.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";

const words = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
const signature = fc.record({
	value: fc.stringMatching(/^[A-Za-z0-9+/]{1,20}$/),
	origin: fc.constantFrom(
		{ protocol: "generate-content", family: "gemini" },
		{ protocol: "messages", family: "claude" },
	),
});
const block: fc.Arbitrary<Block> = fc.oneof(
	words.map((text): Block => ({ type: "text", text })),
	fc
		.tuple(words, signature)
		.map(([text, signed]): Block => ({ type: "thinking", text, form: "full", signature: signed })),
	words.map((text): Block => ({ type: "thinking", text, form: "full" })),
	fc.tuple(fc.uuid(), fc.dictionary(words, fc.oneof(words, fc.integer(), fc.boolean()))).map(
		([id, value]): Block => ({
			type: "tool_call",
			id,
			name: "f",
			kind: "function",
			arguments: { form: "json", value, text: JSON.stringify(value) },
		}),
	),
	signature.map(
		(data): Block => ({ type: "opaque_thinking", data: { ...data, origin: { protocol: "responses", family: "gpt" } } }),
	),
);
const call = {
	type: "tool_call",
	name: "f",
	kind: "function",
	arguments: { form: "json", value: {}, text: "{}" },
} as const;
const response: fc.Arbitrary<NeutralResponse> = fc
	.tuple(fc.array(block, { maxLength: 6 }), fc.nat(1000), fc.nat(1000), fc.nat(1000))
	.map(([blocks, input, output, reasoning]) => ({
		id: "r",
		createdAt: 1,
		model: "m",
		candidates: [
			{ index: 0, blocks, finish: { reason: blocks.some(({ type }) => type === "tool_call") ? "tool_calls" : "stop" } },
		],
		usage: { input: { total: input + 1 }, output: { total: output + reasoning, reasoning } },
	}));

/** Parts with texts of one kind joined, as a client joins them; a mark stands on the first of them. */
const joined = (parts: readonly Wire[]): readonly Wire[] => {
	const all: Wire[] = [];
	for (const part of parts) {
		const before = all.at(-1);
		const grows =
			before &&
			part.text !== undefined &&
			before.text !== undefined &&
			before.thought === part.thought &&
			(!before.thoughtSignature || (isCarried(before.thoughtSignature) && !before.thought));
		if (grows) all[all.length - 1] = { ...before, ...part, text: before.text + part.text };
		else all.push(part);
	}
	return all;
};

describe("properties", () => {
	test("a stream says what the whole answer says, in good grammar and in both forms", () =>
		fc.assert(
			fc.property(response, (made) => {
				const whole = given(made);
				const text = streamed(explode(made));
				expect(streamFaults("generate-content", text)).toEqual([]);
				const chunks = chunksOf(text);
				const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
				expect(joined(parts)).toEqual(joined(whole.candidates[0].content.parts ?? []));
				expect(chunks.at(-1).usageMetadata).toEqual(whole.usageMetadata);
				expect(chunks.at(-1).candidates[0].finishReason).toBe(whole.candidates[0].finishReason);
			}),
		));

	test("what was written for a client is read again by an upstream's decoder", () =>
		fc.assert(
			fc.property(response, (made) => {
				const once = given(made);
				const again = given(normalizeResponse(generateContent.upstream.decodeResponse(once, answering())));
				expect(joined(again.candidates[0].content.parts ?? []).map(({ thoughtSignature: _, ...part }) => part)).toEqual(
					joined(once.candidates[0].content.parts ?? []).map(({ thoughtSignature: _, ...part }) => part),
				);
				expect(again.usageMetadata).toMatchObject(once.usageMetadata);
				expect(again.candidates[0].finishReason).toBe(once.candidates[0].finishReason);
			}),
		));

	/** Reasoning of other makers, each with a seal of its own, and calls. */
	const steps = fc
		.array(
			fc.oneof(
				words.map((text): Block => ({ type: "text", text })),
				fc.tuple(words, fc.boolean()).map(
					([text, shows]): Block => ({
						type: "thinking",
						text: shows ? text : "",
						form: "summary",
						signature: { value: "", origin: { protocol: "messages", family: "claude" } },
					}),
				),
				fc.constant<Block>({
					type: "opaque_thinking",
					data: { value: "", origin: { protocol: "responses", family: "gpt" } },
				}),
				fc.constant<Block>({ ...call, id: "" }),
			),
			{ minLength: 1, maxLength: 7 },
		)
		.map((blocks) =>
			blocks.map((block, at): Block => {
				if (block.type === "thinking" && block.signature)
					return { ...block, signature: { ...block.signature, value: `seal${at}` } };
				if (block.type === "opaque_thinking") return { ...block, data: { ...block.data, value: `seal${at}` } };
				return block.type === "tool_call" ? { ...block, id: `call${at}` } : block;
			}),
		);

	const sealed = (value: string, text = ""): Block => ({
		...{ type: "thinking", text, form: "summary" },
		signature: { value, origin: { protocol: "messages", family: "claude" } },
	});
	/** A thought that is shown, with one before it and one behind it that are not. */
	const hiddenAround: Block[] = [
		sealed("seal0"),
		{ type: "text", text: "a" },
		sealed("seal2", "b"),
		sealed("seal3"),
		{ type: "text", text: "c" },
		{ ...call, id: "call5" },
	];

	/** What a block is known by; undefined for words. */
	const nameOf = (block: Block | undefined): string | undefined => {
		if (block?.type === "thinking") return `${block.signature?.value} ${block.text}`;
		if (block?.type === "opaque_thinking") return block.data.value;
		return block?.type === "tool_call" ? block.id : undefined;
	};

	test.each([false, true])(
		"reasoning of others comes back once and in its order, also by a client that drops thoughts (streamed: %p)",
		(stream) =>
			fc.assert(
				fc.property(steps, (blocks) => {
					const made = {
						id: "r",
						createdAt: 1,
						model: "m",
						candidates: [{ index: 0, blocks, finish: { reason: "stop" as const } }],
						usage: { input: { total: 1 }, output: { total: 1 } },
					};
					const answers = stream ? chunksOf(streamed(explode(made))) : [given(made)];
					const parts: readonly Wire[] = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
					const backOf = (kept: readonly Wire[]): readonly string[] =>
						decoded({
							contents: [
								{ role: "user", parts: [{ text: "Hi" }] },
								{ role: "model", parts: kept },
							],
						})
							.messages.filter(({ role }) => role === "assistant")
							.flatMap((message) => message.blocks.flatMap((block) => nameOf(block) ?? []));
					const all = blocks.flatMap((block) => nameOf(block) ?? []);
					expect(backOf(parts)).toEqual(all);
					const rest = backOf(parts.filter(({ thought }) => thought !== true));
					expect(rest).toEqual(all.filter((name) => rest.includes(name)));
					const before = blocks.filter((_, at) => blocks[at + 1]?.type === "tool_call");
					expect(rest).toEqual(expect.arrayContaining(before.flatMap((block) => nameOf(block) ?? [])));
				}),
				{ numRuns: 500, examples: [[hiddenAround]] },
			),
	);

	test("however a stream is cut into chunks of its own, the same is told", () =>
		fc.assert(
			fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), (texts) => {
				const chunk = (text: string, more: object = {}) => ({
					candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }],
					responseId: "r",
				});
				const ended = { candidates: [{ finishReason: "STOP", index: 0 }] };
				const whole = fold(events([chunk(texts.join("")), ended]));
				const pieces = fold(events([...texts.map((text) => chunk(text)), ended]));
				expect(pieces.candidates).toEqual(whole.candidates);
			}),
		));

	test("usage survives the way out and in, and its parts make the total", () =>
		fc.assert(
			fc.property(fc.nat(1e6), fc.nat(1e6), fc.nat(1e6), fc.nat(1e6), (prompt, toolUse, answered, reasoning) => {
				const usage = {
					input: { total: prompt + toolUse + 1, toolUse },
					output: { total: answered + reasoning, reasoning },
				};
				const wire = encodeUsage(usage) as Wire;
				const parts = [
					wire.promptTokenCount,
					wire.toolUsePromptTokenCount,
					wire.candidatesTokenCount,
					wire.thoughtsTokenCount,
				];
				expect(parts.reduce((sum, part) => sum + (part ?? 0), 0)).toBe(wire.totalTokenCount);
				expect(decodeUsage(wire)).toMatchObject({
					input: { total: usage.input.total },
					output: { total: usage.output.total },
				});
			}),
		));

	test("bytes and units are each other's reverse at the edges of letters", () =>
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.nat(600), (words, before) => {
				const text = "a".repeat(before) + words;
				const offsets = new TextOffsets(text);
				let at = before;
				for (const letter of words) {
					const bytes = Buffer.byteLength(text.slice(0, at));
					expect([bytesBefore(text, at), offsets.bytesBefore(at)]).toEqual([bytes, bytes]);
					expect(offsets.unitsBefore(bytes)).toBe(at);
					at += letter.length;
				}
				expect(offsets.bytes).toBe(Buffer.byteLength(text));
				expect(offsets.unitsBefore(offsets.bytes + 1)).toBe(text.length);
			}),
		));

	test("no JSON makes an upstream's decoder throw anything but a fault, or a schema's cleaning anything at all", () =>
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (content, candidate) => {
				fittedSchema(content);
				const chunk = {
					candidates: [{ content, ...(isRecord(candidate) ? candidate : {}) }],
					usageMetadata: content,
					promptFeedback: candidate,
				};
				const told: readonly NeutralEvent[] = events([chunk, content, candidate]);
				expect(told.at(-1)?.type).toBe("end");
				expect(
					streamFaults("generate-content", streamed(told)).filter((fault) => !fault.includes("did not finish")),
				).toEqual([]);
				// What is given is JSON: nothing in it is lost or changed where it is written.
				const whole = given(fold(told));
				expect(parseJson(JSON.stringify(whole))).toEqual(whole);
			}),
		));

	test("events cut anywhere are the same events", () => {
		const text = streamed(
			explode({
				id: "r",
				createdAt: 1,
				model: "m",
				candidates: [{ index: 0, blocks: [{ type: "text", text: "Grüße 🗼" }], finish: { reason: "stop" } }],
			}),
			neutral(),
		);
		for (const { cut, name } of chunkings()) {
			const glued = Buffer.concat(cut(text).map((piece) => Buffer.from(piece))).toString();
			expect([name, chunksOf(glued.replaceAll("\r\n", "\n"))]).toEqual([name, chunksOf(text)]);
		}
	});
});
