/**
 * What holds for any answer on its whole way: written by an upstream of one protocol, read, brought in order and written
 * for a client of another, for all sixteen pairs. What holds within the neutral form alone is tested beside it.
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	asCount,
	asRecord,
	type Block,
	type DecodeContext,
	explode,
	familyOf,
	fold,
	type NeutralRequest,
	type NeutralResponse,
	normalizeEvents,
	normalizeRequest,
	normalizeResponse,
	type Protocol,
	type Usage,
	type WireRecord,
} from "#core";
import { EventFrames } from "../../core/wire/frames.ts";
import { chunkings } from "../support/chunkings.ts";
import { streamFaults } from "../support/grammar/check.ts";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { askOf } from "./ask.ts";
import { loadProtocols } from "./protocols.ts";
import { nextRequest } from "./replay.ts";
import { asEvents, plainRequest } from "./translate.ts";

const protocols = await loadProtocols();
const protocolOf = (name: ProtocolName): Protocol => {
	const protocol = protocols.get(name);
	if (!protocol) throw new Error(`no protocol ${name}`);
	return protocol;
};

/** A model that speaks the protocol; sealed values are bound to its family. */
const models: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "gpt-4o",
	responses: "gpt-5",
	messages: "claude-sonnet-4-5",
	"generate-content": "gemini-3-flash",
};

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter((text) => text.trim() !== "");
const name = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);
const json = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(words, fc.integer(), fc.boolean()), {
	maxKeys: 3,
});
const seal = fc.stringMatching(/^[A-Za-z0-9]{20}$/).map((text) => `${text}AAAA`);

/** Where the maker of an answer seals something into it. */
const sealedIn: Readonly<Partial<Record<ProtocolName, Block["type"]>>> = {
	responses: "thinking",
	messages: "thinking",
	"generate-content": "tool_call",
};

const sealed = (via: ProtocolName, block: Block, value: string): Block =>
	sealedIn[via] === block.type && (block.type === "thinking" || block.type === "tool_call")
		? { ...block, signature: { value, origin: { protocol: via, family: familyOf(models[via]) } } }
		: block;

const blocksOf = (via: ProtocolName): fc.Arbitrary<readonly Block[]> => {
	const text = words.map((said): Block => ({ type: "text", text: said }));
	const thought = fc.tuple(words, seal).map(([said, value]): Block => {
		const form = via === "responses" ? "summary" : "full";
		return sealed(via, { type: "thinking", text: said, form }, value);
	});
	const call = fc.tuple(name, json, seal).map(([called, value, value2]): Block => {
		const arguments_ = { form: "json" as const, value, text: JSON.stringify(value) };
		return sealed(via, { type: "tool_call", id: "", name: called, kind: "function", arguments: arguments_ }, value2);
	});
	return fc
		.tuple(fc.array(thought, { maxLength: 1 }), fc.array(text, { maxLength: 2 }), fc.array(call, { maxLength: 3 }))
		.map((groups) => groups.flat())
		.filter((blocks) => blocks.length > 0)
		.map((blocks) => blocks.map((block, at) => (block.type === "tool_call" ? { ...block, id: `call_${at}` } : block)));
};

/** Nothing is answered that was not asked: a count of no tokens at all is Gemini's word for one that is still to come. */
const usageOf: fc.Arbitrary<Usage> = fc
	.record({ fresh: fc.integer({ min: 1, max: 999 }), cacheRead: fc.nat(99), said: fc.nat(999), reasoning: fc.nat(99) })
	.map(({ fresh, cacheRead, said, reasoning }) => ({
		input: { total: fresh + cacheRead, cacheRead },
		output: { total: said + reasoning, reasoning },
	}));

/** Any answer that the upstream could give. */
const answerOf = (via: ProtocolName): fc.Arbitrary<NeutralResponse> =>
	fc
		.tuple(blocksOf(via), usageOf, fc.constantFrom("stop" as const, "length" as const))
		.map(([blocks, usage, ended]) => {
			const called = blocks.some(({ type }) => type === "tool_call");
			const reason = called && ended === "stop" ? ("tool_calls" as const) : ended;
			const candidate = { index: 0, blocks, finish: { reason } };
			return { id: "msg_1", createdAt: 1_700_000_000, model: models[via], candidates: [candidate], usage };
		});

const contextOf = (via: ProtocolName, request: NeutralRequest): DecodeContext => ({
	family: familyOf(models[via]),
	names: { tools: new Map() },
	request,
});

/** What an upstream of the protocol sends for the answer, whole and streamed. */
const wholeFrom = (via: Protocol, answer: NeutralResponse): unknown =>
	JSON.parse(JSON.stringify(via.client.encodeResponse(answer, plainRequest(via, false).neutral).body));

const streamFrom = (via: Protocol, answer: NeutralResponse): string => {
	const encoder = via.client.streamEncoder(plainRequest(via, true).neutral);
	return asEvents(answer)
		.map((event) => encoder.push(event))
		.join("");
};

const decodeWhole = (via: Protocol, body: unknown, request: NeutralRequest): NeutralResponse =>
	normalizeResponse(via.upstream.decodeResponse(body, contextOf(via.name as ProtocolName, request)));

/** The neutral events of a stream that arrives in these pieces. */
const decodeStream = (via: Protocol, chunks: readonly Uint8Array[], request: NeutralRequest) => {
	const frames = new EventFrames(1e8);
	const decoder = via.upstream.streamDecoder(contextOf(via.name as ProtocolName, request));
	const stage = normalizeEvents();
	const heard = chunks.flatMap((chunk) => [...frames.feed(chunk)]);
	return [...heard, ...frames.end()]
		.flatMap((event) => decoder.push(event))
		.concat(decoder.end())
		.flatMap((event) => stage.push(event));
};

const bytesOf = (text: string): readonly Uint8Array[] => [new TextEncoder().encode(text)];

/** What of an answer every protocol can tell; thinking by its letters. */
const told = ({ candidates, usage }: NeutralResponse) => {
	const blocks = candidates[0]?.blocks ?? [];
	const textOf = (type: Block["type"]) =>
		blocks.map((block) => (block.type === type && "text" in block ? block.text : "")).join("");
	return {
		text: textOf("text"),
		thinking: textOf("thinking").replaceAll(/\s/g, ""),
		calls: blocks.flatMap((block) =>
			block.type === "tool_call" && block.arguments.form === "json" ? [[block.name, block.arguments.value]] : [],
		),
		finish: candidates[0]?.finish.reason,
		input: usage?.input.total,
		output: usage?.output.total,
	};
};

const asHeard = (answer: NeutralResponse) => told(fold(normalized(answer)));

const normalized = (answer: NeutralResponse) => {
	const stage = normalizeEvents();
	return explode(answer).flatMap((event) => stage.push(event));
};

const sumsUp: Readonly<Record<ProtocolName, (usage: WireRecord) => readonly [sum: number, total: number]>> = {
	"chat-completions": (usage) => [
		count(usage, "prompt_tokens") + count(usage, "completion_tokens"),
		count(usage, "total_tokens"),
	],
	responses: (usage) => [count(usage, "input_tokens") + count(usage, "output_tokens"), count(usage, "total_tokens")],
	messages: () => [0, 0],
	"generate-content": (usage) => [
		count(usage, "promptTokenCount") + count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
		count(usage, "totalTokenCount"),
	],
};

const count = (record: WireRecord, field: string): number => asCount(record[field]) ?? 0;

/** The parts of the client's usage. */
const partsOf = (client: ProtocolName, usage: WireRecord) => {
	switch (client) {
		case "chat-completions":
			return {
				input: count(usage, "prompt_tokens"),
				cacheRead: count(asRecord(usage["prompt_tokens_details"]), "cached_tokens"),
				output: count(usage, "completion_tokens"),
			};
		case "responses":
			return {
				input: count(usage, "input_tokens"),
				cacheRead: count(asRecord(usage["input_tokens_details"]), "cached_tokens"),
				output: count(usage, "output_tokens"),
			};
		case "messages":
			return {
				input: count(usage, "input_tokens") + count(usage, "cache_read_input_tokens"),
				cacheRead: count(usage, "cache_read_input_tokens"),
				output: count(usage, "output_tokens"),
			};
		case "generate-content":
			return {
				input: count(usage, "promptTokenCount"),
				cacheRead: count(usage, "cachedContentTokenCount"),
				output: count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount"),
			};
	}
};

const runs = { numRuns: 25 };

describe.each([...protocolNames])("a client of %s", (clientName) => {
	describe.each([...protocolNames])("with a model of %s", (viaName) => {
		const client = protocolOf(clientName);
		const via = protocolOf(viaName);
		const asked = plainRequest(client, false);
		const askedStream = plainRequest(client, true);
		const answers = answerOf(viaName);

		const whole = (answer: NeutralResponse): unknown =>
			JSON.parse(
				JSON.stringify(
					client.client.encodeResponse(decodeWhole(via, wholeFrom(via, answer), asked.neutral), asked.neutral).body,
				),
			);
		const stream = (chunks: readonly Uint8Array[]): string => {
			const encoder = client.client.streamEncoder(askedStream.neutral);
			return decodeStream(via, chunks, askedStream.neutral)
				.map((event) => encoder.push(event))
				.join("");
		};

		test("the whole answer tells what the model said, and the stream tells the same in good grammar", () => {
			fc.assert(
				fc.property(answers, (answer) => {
					const heard = asHeard(answer);
					expect(told(decodeWhole(client, whole(answer), asked.neutral))).toEqual(heard);
					const text = stream(bytesOf(streamFrom(via, answer)));
					expect(streamFaults(clientName, text)).toEqual([]);
					expect(told(fold(decodeStream(client, bytesOf(text), asked.neutral)))).toEqual(heard);
				}),
				runs,
			);
		});

		test("however the network cuts the stream, the client gets the same events", () => {
			fc.assert(
				fc.property(answers, fc.nat(1000), (answer, seed) => {
					const sent = streamFrom(via, answer);
					// protocols without a time of their own are given the hour of arrival
					const [first, ...others] = chunkings(seed).map(({ cut }) =>
						JSON.stringify(decodeStream(via, cut(sent), askedStream.neutral)).replaceAll(/"createdAt":\d+/g, ""),
					);
					for (const other of others) expect(other).toBe(first ?? "");
				}),
				{ numRuns: 10 },
			);
		});

		test("the parts of usage make its total, and are what the model counted", () => {
			fc.assert(
				fc.property(answers, (answer) => {
					const body = asRecord(whole(answer));
					const usage = asRecord(body["usage"] ?? body["usageMetadata"]);
					const [sum, total] = sumsUp[clientName](usage);
					expect(sum).toBe(total);
					expect(partsOf(clientName, usage)).toEqual({
						input: answer.usage?.input.total ?? 0,
						cacheRead: answer.usage?.input.cacheRead ?? 0,
						output: answer.usage?.output.total ?? 0,
					});
				}),
				runs,
			);
		});

		test("the next turn goes back to the model that answered, or on to another, with all that was said", () => {
			fc.assert(
				fc.property(answers, fc.boolean(), (answer, streamed) => {
					const body = streamed
						? foldedBody(client, stream(bytesOf(streamFrom(via, answer))), asked.neutral)
						: whole(answer);
					const next = nextRequest(clientName, asked.body, body);
					const neutral = client.client.decodeRequest(toModel(client, models[viaName], asked.path, next));
					for (const to of protocols.values()) expectReplayed(answer, viaName, to, neutral, streamed);
				}),
				runs,
			);
		});
	});
});

/** The request for this model, which some protocols name in the path. */
const toModel = (client: Protocol, model: string, path: string, body: WireRecord) =>
	askOf(client, path.replace("/models/m:", `/models/${model}:`), "model" in body ? { ...body, model } : body);

/** What a client of the protocol has gathered of a stream, in the form of a whole answer. */
const foldedBody = (client: Protocol, text: string, request: NeutralRequest): unknown => {
	const response = fold(decodeStream(client, bytesOf(text), request));
	return JSON.parse(JSON.stringify(client.client.encodeResponse(response, request).body));
};

const letters = (text: string): string => text.replaceAll(/\s/g, "");

const expectReplayed = (
	answer: NeutralResponse,
	viaName: ProtocolName,
	to: Protocol,
	neutral: NeutralRequest,
	streamed: boolean,
): void => {
	const toName = to.name as ProtocolName;
	const model = models[toName];
	const { request } = normalizeRequest(neutral);
	const { body } = to.upstream.encodeRequest(request, { model, family: familyOf(model), capabilities: {} });
	const again = to.client.decodeRequest(
		askOf(to, to.upstream.path({ operation: "generate", model, stream: false }), body),
	);
	const blocks = again.messages.flatMap((message) => message.blocks);
	const heard = asHeard(answer);
	const said = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
	expect(letters(said)).toContain(letters(heard.text));
	const calls = blocks.flatMap((block) =>
		block.type === "tool_call" && block.arguments.form === "json" ? [[block.name, block.arguments.value]] : [],
	);
	expect(calls).toEqual(heard.calls);
	expect(blocks.filter(({ type }) => type === "tool_result").length).toBe(heard.calls.length);
	if (streamed) return;
	const text = JSON.stringify(body);
	// OpenAI refuses a request for reasoning behind which nothing of the model's stands.
	const isLone = toName === "responses" && heard.text === "" && heard.calls.length === 0;
	for (const block of answer.candidates[0]?.blocks ?? [])
		if ("signature" in block && block.signature)
			expect(text.includes(block.signature.value)).toBe(toName === viaName && !isLone);
};
