/** The official SDK, old and new, reads what the encoder writes. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import OldOpenAI from "openai-6";
import { type Block, type NeutralResponse, normalizeResponse } from "#core";
import { bodyWith, neutralOf, streamOf } from "./fixtures/ask.ts";
import { answerWith, callBlock, eventsWith, textBlock } from "./fixtures/events.ts";
import { chatCompletions } from "./protocol.ts";

const { client: side } = chatCompletions;

const usage = { input: { total: 10, cacheRead: 4 }, output: { total: 5, reasoning: 2 } };
const custom: Block = {
	type: "tool_call",
	id: "c3",
	name: "patch",
	kind: "custom",
	arguments: { form: "text", text: "in" },
};

type Fetch = NonNullable<ConstructorParameters<typeof OpenAI>[0]>["fetch"] & {};

/** Answers every request with the response, in the form the SDK asked for. */
const answering =
	(response: NeutralResponse): Fetch =>
	async (_url, init) => {
		const request = neutralOf(JSON.parse(String(init?.body)));
		if (!request.stream) {
			const { body } = side.encodeResponse(normalizeResponse(response), request);
			return Response.json(body);
		}
		const text = streamOf(eventsWith(response), request);
		return new Response(text, { headers: { "content-type": "text/event-stream" } });
	};

const asking = { ...bodyWith({ stream_options: { include_usage: true } }), model: "fast" };
const messages = [{ role: "user" as const, content: "Hello" }];

const answers: Readonly<Record<string, NeutralResponse>> = {
	text: answerWith([textBlock("Hello"), textBlock(" there")], { usage }),
	"parallel tools": answerWith([textBlock("a"), callBlock("c1", "f", '{"x":1}'), callBlock("c2", "g", "{}")], {
		usage,
	}),
	"a tool alone": answerWith([callBlock("c1", "f", '{"x":[1,2]}')], { usage }),
	"a custom tool": answerWith([custom], { usage }),
	thinking: answerWith(
		[
			{
				type: "thinking",
				text: "hm",
				form: "full",
				signature: { value: "S", origin: { protocol: "messages", family: "claude" } },
			},
			textBlock("4"),
		],
		{ usage },
	),
	"a refusal": answerWith([{ type: "refusal", text: "No." }], { usage }),
	"a refusal told by its end": answerWith([], { usage }, { reason: "refusal", message: "No way." }),
	citations: answerWith([{ type: "text", text: "See A", citations: [{ kind: "url", url: "https://a.test" }] }], {
		usage,
	}),
	logprobs: answerWith([{ type: "text", text: "a", logprobs: [{ token: "a", logprob: -1, top: [] }] }], { usage }),
	sound: answerWith(
		[{ type: "audio", id: "au", transcript: "Hi", media: { by: "bytes", base64: "AAAA", mime: "audio/wav" } }],
		{ usage },
	),
	nothing: answerWith([], { usage }),
	"the limit": answerWith([textBlock("cut o")], { usage }, { reason: "length" }),
	"two choices": {
		...answerWith([], { usage }),
		candidates: [
			{ index: 0, blocks: [textBlock("a")], finish: { reason: "stop" } },
			{ index: 1, blocks: [callBlock("c", "f", "{}")], finish: { reason: "tool_calls" } },
		],
	},
	"a blocked prompt": {
		...answerWith([], { usage }),
		candidates: [],
		promptBlocked: { reason: "SAFETY", message: "Blocked." },
	},
};

/** What a completion says, without what only one of the two ways can tell. */
const told = (completion: OpenAI.ChatCompletion) =>
	completion.choices.map(({ index, finish_reason, message, logprobs }) => ({
		index,
		finish_reason,
		content: message.content || null,
		refusal: message.refusal ?? null,
		calls: (message.tool_calls ?? []).map((call) =>
			call.type === "function"
				? [call.id, call.function.name, call.function.arguments]
				: [call.id, call.custom.name, call.custom.input],
		),
		annotations: message.annotations ?? [],
		audio: message.audio ?? null,
		logprobs: logprobs?.content?.length ?? 0,
	}));

for (const [version, Sdk] of [
	["openai 7", OpenAI],
	["openai 6", OldOpenAI as unknown as typeof OpenAI],
] as const)
	describe(version, () => {
		const sdkFor = (response: NeutralResponse) =>
			new Sdk({ apiKey: "k", baseURL: "http://portico.test/v1", fetch: answering(response), maxRetries: 0 });

		// The helper of version 6 knows functions only, whoever answers it.
		const known = Object.entries(answers).filter(([name]) => version !== "openai 6" || name !== "a custom tool");

		for (const [name, response] of known)
			test(`accumulates ${name} from a stream to what the whole answer says`, async () => {
				const sdk = sdkFor(response);
				const n = response.candidates.length > 1 ? { n: 2 } : {};
				const whole = await sdk.chat.completions.create({ model: "fast", messages, ...n });
				const stream = sdk.chat.completions.stream({
					model: "fast",
					messages,
					stream_options: { include_usage: true },
					...n,
				});
				const final = await stream.finalChatCompletion();
				expect(told(final)).toEqual(told(whole));
				expect(whole.model).toBe("fast");
				expect(final.model).toBe("fast");
				expect(whole.usage?.total_tokens).toBe(15);
				expect(final.usage?.completion_tokens_details?.reasoning_tokens).toBe(2);
			});

		test("keeps all signed thoughts and all pictures of a stream, for the next turn", async () => {
			const origin = { protocol: "messages", family: "claude" };
			const thought = (text: string, value: string): Block => ({
				type: "thinking",
				text,
				form: "full",
				signature: { value, origin },
			});
			const picture = (base64: string): Block => ({
				type: "image",
				media: { by: "bytes", base64, mime: "image/png" },
			});
			const blocks = [thought("one", "SIG1"), textBlock("a"), thought("two", "SIG2"), picture("AAAA"), picture("BBBB")];
			const stream = sdkFor(answerWith([...blocks, callBlock("c", "f", "{}")], { usage })).chat.completions.stream({
				model: "fast",
				messages,
			});
			const message = (await stream.finalChatCompletion()).choices[0]?.message as unknown as {
				images: { image_url: { url: string } }[];
			};
			expect(message.images.map(({ image_url }) => image_url.url)).toEqual([
				"data:image/png;base64,AAAA",
				"data:image/png;base64,BBBB",
			]);
			const again = neutralOf(bodyWith({ messages: [...messages, message] })).messages.at(-1)?.blocks ?? [];
			expect(again.filter(({ type }) => type === "thinking")).toEqual([thought("one", "SIG1"), thought("two", "SIG2")]);
		});

		test("reads every chunk of a plain stream", async () => {
			const sdk = sdkFor(answers["text"] ?? answerWith([]));
			let text = "";
			for await (const chunk of await sdk.chat.completions.create({ model: "fast", messages, stream: true }))
				text += chunk.choices[0]?.delta.content ?? "";
			expect(text).toBe("Hello there");
		});

		test("reads a custom tool's call from the chunks", async () => {
			const sdk = sdkFor(answers["a custom tool"] ?? answerWith([]));
			const calls = [];
			for await (const chunk of await sdk.chat.completions.create({ model: "fast", messages, stream: true }))
				calls.push(...(chunk.choices[0]?.delta.tool_calls ?? []));
			expect(calls).toMatchObject([{ index: 0, id: "c3", type: "custom", custom: { name: "patch", input: "in" } }]);
		});

		test("raises an error that comes in the middle", async () => {
			const failing: Fetch = async () => {
				const request = neutralOf({ ...asking, stream: true });
				const events = [
					{ type: "start", id: "1", model: "m", createdAt: 1 },
					{ type: "open", block: 0, candidate: 0, shell: textBlock("") },
					{ type: "delta", block: 0, delta: { type: "text", text: "a" } },
					{ type: "error", error: { kind: "upstream", message: "Broke off." } },
					{ type: "end", clean: false },
				] as const;
				return new Response(streamOf(events, request), { headers: { "content-type": "text/event-stream" } });
			};
			const sdk = new Sdk({ apiKey: "k", baseURL: "http://portico.test/v1", fetch: failing, maxRetries: 0 });
			const stream = sdk.chat.completions.stream({ model: "fast", messages });
			expect(stream.finalChatCompletion()).rejects.toThrow("Broke off.");
		});

		test("a refused call is an error with its code, and is not tried again", async () => {
			let calls = 0;
			const refusing: Fetch = async () => {
				calls++;
				const { status, headers, body } = side.renderDenial({ kind: "quota_exhausted", message: "Gone." }, "r");
				return Response.json(body, { status, headers });
			};
			const sdk = new Sdk({ apiKey: "k", baseURL: "http://portico.test/v1", fetch: refusing });
			const failed = await sdk.chat.completions.create({ model: "fast", messages }).catch((error) => error);
			expect(failed).toMatchObject({ status: 429, code: "insufficient_quota", type: "insufficient_quota" });
			expect(calls).toBe(1);
		});
	});
