/** Arbitrary neutral responses and event streams, for property tests. */
import fc from "fast-check";
import type { Block, Candidate, Message, NeutralEvent, NeutralResponse, ToolCallBlock } from "#core";

const origin = fc.record({
	protocol: fc.constantFrom("messages", "generate-content"),
	family: fc.constantFrom("claude", "gemini"),
});
const opaque = fc.record({ value: fc.string({ minLength: 1 }), origin });
const extras = fc.dictionary(
	fc.constantFrom("messages", "responses"),
	fc.dictionary(fc.constantFrom("a", "b"), fc.integer()),
	{ minKeys: 1 },
);
const optional = { requiredKeys: [] as never[] };
const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 });

const merged = <A extends object, B extends object>(required: fc.Arbitrary<A>, rest: fc.Arbitrary<B>) =>
	fc.tuple(required, rest).map(([a, b]) => ({ ...a, ...b }));

const citation = fc.record({ kind: fc.constant("url" as const), url: words, title: fc.option(words) });
const logprob = fc.record({ token: words, logprob: fc.integer(), top: fc.constant([]) });
const text = merged(
	fc.record({ type: fc.constant("text" as const), text: words }),
	fc.record({ citations: list(citation), logprobs: list(logprob), signature: opaque, extras, itemId: words }, optional),
);
const thinking = merged(
	fc.oneof(
		fc.record({ type: fc.constant("thinking" as const), text: words, form: fc.constant("full" as const) }),
		list(words).map((parts) => ({
			type: "thinking" as const,
			form: "summary" as const,
			parts,
			text: parts.join("\n\n"),
		})),
	),
	fc.record({ signature: opaque, extras, itemId: words }, optional),
);
const call: fc.Arbitrary<ToolCallBlock> = merged(
	fc.oneof(
		fc
			.record({
				id: words,
				name: words,
				kind: fc.constant("function" as const),
				arguments: fc.dictionary(words, fc.integer()),
			})
			.map((made) => ({
				...made,
				arguments: { form: "json" as const, value: made.arguments, text: JSON.stringify(made.arguments) },
			})),
		fc
			.record({ id: words, name: words, kind: fc.constant("custom" as const), arguments: words })
			.map((made) => ({ ...made, arguments: { form: "text" as const, text: made.arguments } })),
	),
	fc.record({ type: fc.constant("tool_call" as const), signature: opaque, extras }, { requiredKeys: ["type"] }),
);
const whole: fc.Arbitrary<Block> = fc.oneof(
	fc.record({ type: fc.constant("opaque_thinking" as const), data: opaque }),
	fc.record({
		type: fc.constant("image" as const),
		media: fc.record({
			by: fc.constant("bytes" as const),
			base64: fc.constant("QUJD"),
			mime: fc.constant("image/png"),
		}),
	}),
	fc.record({
		type: fc.constant("server_call" as const),
		id: words,
		tool: fc.constant("web_search" as const),
		name: words,
		arguments: fc.dictionary(words, fc.integer()),
	}),
	fc.record({
		type: fc.constant("server_result" as const),
		callId: words,
		tool: fc.constant("web_search" as const),
		result: fc.constant([]),
	}),
	fc.record({ type: fc.constant("unknown" as const), origin, raw: fc.integer() }),
	fc.record({ type: fc.constant("refusal" as const), text: words }),
);

/** Any block a model may answer with. */
export const anyBlock: fc.Arbitrary<Block> = fc.oneof(text, thinking, call, whole) as fc.Arbitrary<Block>;

const usage = fc.record({
	input: fc.record({ total: fc.nat(), cacheRead: fc.nat() }, { requiredKeys: ["total"] }),
	output: fc.record({ total: fc.nat(), reasoning: fc.nat() }, { requiredKeys: ["total"] }),
});
const finish = fc.record(
	{
		reason: fc.constantFrom(
			"stop" as const,
			"length" as const,
			"tool_calls" as const,
			"refusal" as const,
			"other" as const,
		),
		raw: words,
	},
	{ requiredKeys: ["reason"] },
);
const grounding = fc.record({ queries: list(words), sources: list(fc.record({ url: words })) });
const candidates = (ending: fc.Arbitrary<Candidate["finish"]>) =>
	fc
		.array(
			merged(
				fc.record({ blocks: fc.array(anyBlock, { maxLength: 5 }), finish: ending }),
				fc.record({ grounding, extras }, optional),
			),
			{ minLength: 1, maxLength: 3 },
		)
		.map((made) => made.map((candidate, index) => ({ ...candidate, index })));
const head = merged(
	fc.record({ id: words, model: words, createdAt: fc.integer({ min: 1, max: 2_000_000_000 }) }),
	fc.record({ usage, tier: words, extras }, optional),
);
const denial = fc.record({ kind: fc.constant("upstream" as const), message: words });

/** Any response: answered, failed on the way, or blocked at the prompt. */
export const anyResponse: fc.Arbitrary<NeutralResponse> = fc.oneof(
	{ weight: 5, arbitrary: merged(head, fc.record({ candidates: candidates(finish) })) },
	{
		weight: 1,
		arbitrary: merged(
			head,
			fc.record({ candidates: candidates(fc.constant({ reason: "error" as const })), error: denial }),
		).map((made) => ({
			...made,
			candidates: made.candidates
				.map(({ extras: _, grounding: __, ...rest }) => rest)
				.filter((c) => c.blocks.length > 0),
		})),
	},
	{
		weight: 1,
		arbitrary: merged(
			head,
			fc.record({ candidates: fc.constant([]), promptBlocked: fc.record({ reason: words, message: words }) }),
		),
	},
) as fc.Arbitrary<NeutralResponse>;

const delta: fc.Arbitrary<Extract<NeutralEvent, { type: "delta" }>["delta"]> = fc.oneof(
	fc.record({
		type: fc.constantFrom("text" as const, "arguments" as const, "refusal" as const, "transcript" as const),
		text: fc.string({ maxLength: 3 }),
	}),
	fc.record({ type: fc.constant("thinking" as const), text: fc.string({ maxLength: 3 }), part: fc.nat(2) }),
	fc.record({ type: fc.constant("signature" as const), value: opaque }),
	fc.record({ type: fc.constant("citation" as const), citation }),
);
const index = fc.nat(3);
const shell: fc.Arbitrary<Block> = fc.oneof(
	anyBlock,
	call.map((block): Block => ({ ...block, id: "" })),
	call.map((block): Block => ({ ...block, name: "", arguments: { form: "invalid", text: "" } })),
	fc.constant<Block>({ type: "text", text: "" }),
	fc.constant<Block>({ type: "thinking", text: "", form: "full" }),
);

/** Any event, in good order or not. */
export const anyEvent: fc.Arbitrary<NeutralEvent> = fc.oneof(
	{
		weight: 1,
		arbitrary: head.map((made) => ({ type: "start" as const, ...made, id: made.id.length > 6 ? "" : made.id })),
	},
	{
		weight: 6,
		arbitrary: fc.record({ type: fc.constant("open" as const), block: index, candidate: fc.nat(1), shell }),
	},
	{ weight: 10, arbitrary: fc.record({ type: fc.constant("delta" as const), block: index, delta }) },
	{
		weight: 5,
		arbitrary: fc.record(
			{ type: fc.constant("close" as const), block: index, final: shell },
			{ requiredKeys: ["type", "block"] },
		),
	},
	{ weight: 1, arbitrary: fc.record({ type: fc.constant("usage" as const), usage }) },
	{ weight: 2, arbitrary: fc.record({ type: fc.constant("finish" as const), candidate: fc.nat(1), finish }) },
	{ weight: 1, arbitrary: fc.record({ type: fc.constant("grounding" as const), candidate: fc.nat(1), grounding }) },
	{ weight: 1, arbitrary: fc.constant({ type: "tick" as const }) },
	{ weight: 1, arbitrary: fc.record({ type: fc.constant("blocked" as const), reason: words }) },
	{ weight: 1, arbitrary: fc.record({ type: fc.constant("error" as const), error: denial }) },
	{ weight: 1, arbitrary: fc.record({ type: fc.constant("end" as const), clean: fc.boolean() }) },
) as fc.Arbitrary<NeutralEvent>;

const shortId = fc.constantFrom("a", "b", "c", "a_2");
const saying = fc.constantFrom("", "x", "y").map((value): Block => ({ type: "text", text: value }));
const asking = shortId.map(
	(id): Block => ({ type: "tool_call", id, name: "f", kind: "function", arguments: { form: "invalid", text: "" } }),
);
const answering = shortId.map((callId): Block => ({ type: "tool_result", callId, content: [] }));
const musing = fc.constant<Block>({ type: "thinking", text: "hm", form: "full" });
const turn = (role: Message["role"], block: fc.Arbitrary<Block>) =>
	fc.array(block, { maxLength: 3 }).map((blocks): Message => ({ role, blocks }));

/** Any conversation, tool calls and results in whatever order. */
export const anyConversation: fc.Arbitrary<readonly Message[]> = fc.array(
	fc.oneof(
		turn("assistant", fc.oneof(saying, asking, musing)),
		turn("user", fc.oneof(saying, answering)),
		turn("tool", answering),
		turn("system", saying),
	),
	{ maxLength: 8 },
);
