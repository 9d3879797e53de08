import { describe, expect, test } from "bun:test";
import type { ModelAsk, PassthroughChanges } from "#core";
import { streamFaults } from "../../../test/support/grammar/check.ts";
import { askOf } from "../fixtures/asks.ts";
import { generateContent } from "../protocol.ts";

const { passthrough } = generateContent;
const model = "gemini-2.5-flash";
const same = (more: Partial<PassthroughChanges> = {}): PassthroughChanges => ({ model, capabilities: {}, ...more });
const sent = (ask: ModelAsk, changes = same()) => {
	const { path, headers, body } = passthrough.request(ask, changes);
	return { path, headers, text: typeof body === "string" ? body : new TextDecoder().decode(body), body };
};
const hello = {
	contents: [{ role: "user", parts: [{ text: "Hi" }] }],
	generationConfig: { temperature: 1.0, topK: 40 },
};

describe("requests that pass through", () => {
	test("are the client's own bytes when nothing must change", () => {
		const ask = askOf(hello);
		expect(sent(ask).body).toBe(ask.body.bytes);
		expect(sent(ask).path).toBe("/models/gemini-2.5-flash:generateContent");
	});

	test("go to the target's model, always for events, and never with a word of the client's query", () => {
		const tail = `${model}:streamGenerateContent?key=sk-secret&$fields=candidates(content)&fields=usageMetadata&prettyPrint=true`;
		const { path } = sent(askOf(hello, tail), same({ model: "vendor/other model" }));
		expect(path).toBe("/models/vendor/other%20model:streamGenerateContent?alt=sse");
	});

	test("keep the verb that the client used", () => {
		expect(sent(askOf(hello, "m:countTokens"), same({ model: "m" })).path).toBe("/models/m:countTokens");
	});

	test("take along no header that speaks of the client or its key", () => {
		const headers = {
			"x-goog-api-key": "sk-1",
			authorization: "Bearer sk-2",
			cookie: "a=b",
			"x-goog-user-project": "p",
			"x-goog-api-client": "sdk/1",
			"x-forwarded-for": "1.2.3.4",
		};
		expect(sent(askOf(hello, undefined, headers)).headers).toEqual({
			"content-type": "application/json",
			"x-goog-api-client": "sdk/1",
		});
	});

	test("name the model again where the body did", () => {
		const inner = { model: `models/${model}`, contents: [] };
		const counted = sent(askOf({ generateContentRequest: inner }, `${model}:countTokens`), same({ model: "other" }));
		expect(JSON.parse(counted.text).generateContentRequest.model).toBe("models/other");
		expect(JSON.parse(sent(askOf({ ...hello, model: `models/${model}` }), same({ model: "other" })).text).model).toBe(
			"models/other",
		);
	});

	test("carry a limit that is lowered or set, in the spelling that the body has", () => {
		const limited = (body: object) => JSON.parse(sent(askOf(body), same({ maxOutputTokens: 50 })).text);
		expect(limited(hello).generationConfig).toEqual({ temperature: 1, topK: 40, maxOutputTokens: 50 });
		expect(limited({ contents: "Hi" }).generationConfig).toEqual({ maxOutputTokens: 50 });
		expect(limited({ contents: "Hi", generation_config: { max_output_tokens: 900 } })).toEqual({
			contents: "Hi",
			generation_config: { max_output_tokens: 50 },
		});
	});

	test("bring to Google nothing that another maker signed", () => {
		const mark = btoa("portico.messages.claude.c2ln");
		const body = {
			contents: [
				{ role: "user", parts: [{ text: "Go" }] },
				{
					role: "model",
					parts: [
						{ text: "Hm", thought: true, thoughtSignature: mark },
						{ functionCall: { name: "f", args: {} }, thoughtSignature: mark },
						{ functionCall: { name: "g", args: {} }, thoughtSignature: "R2Vt" },
					],
				},
			],
		};
		const parts = (changes: PassthroughChanges) => JSON.parse(sent(askOf(body), changes).text).contents[1].parts;
		const { losses = [] } = generateContent.passthrough.request(askOf(body), same());
		expect(losses.map(({ path }) => path)).toEqual(["contents[1].parts[0]", "contents[1].parts[1].thoughtSignature"]);
		expect(parts(same())).toEqual([{ functionCall: { name: "f", args: {} } }, body.contents[1]?.parts[2]]);
		expect(parts(same({ model: "gemini-3-flash", capabilities: { signedCalls: true } }))[0].thoughtSignature).toBe(
			"skip_thought_signature_validator",
		);
	});

	test("keep the digits of large integers where a call is given the word for a signature", () => {
		const args = { id: JSON.rawJSON("1234567890123456789") };
		const ask = askOf({ contents: [{ role: "model", parts: [{ functionCall: { name: "f", args } }] }] });
		const { text } = sent(ask, same({ capabilities: { signedCalls: true } }));
		expect(text).toContain('"id":1234567890123456789');
		expect(text).toContain("skip_thought_signature_validator");
	});

	test("bring no piece of another maker's thoughts, however a stream of them was recorded", () => {
		const mark = btoa("portico.messages.claude.c2ln");
		const said = (part: object) => ({ role: "model", parts: [part] });
		const own = [said({ text: "Mine", thought: true }), said({ text: "A", thoughtSignature: "c2ln" })];
		const foreign = [
			said({ text: "Th", thought: true }),
			said({ text: "eirs", thought: true, thoughtSignature: mark }),
		];
		const contents = [...own, ...foreign, said({ text: "B" })];
		expect(JSON.parse(sent(askOf({ contents })).text).contents).toEqual([...own, said({ text: "B" })]);
	});
});

describe("answers that pass through", () => {
	const chunk = (text: string, more: object = {}, top: object = {}) =>
		JSON.stringify({
			candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
			modelVersion: `${model}-001`,
			responseId: "r",
			...top,
		});
	const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 1, totalTokenCount: 8 };
	const stream = [chunk("Grüße"), chunk("!", { finishReason: "STOP" }, { usageMetadata })];
	const array = `${model}:streamGenerateContent`;
	const events = `${array}?alt=sse`;
	const observed = (sentEvents: readonly string[], tail = events) => {
		const observer = passthrough.observer(askOf(hello, tail));
		for (const data of sentEvents) observer.event({ data });
		return observer;
	};

	test("are counted: pieces, bytes, usage and the end", () => {
		expect(observed(stream).result()).toMatchObject({
			finished: true,
			pieces: 2,
			contentBytes: 8,
			usage: { input: { total: 5 }, output: { total: 3, reasoning: 1 } },
		});
		expect(observed(stream.slice(0, 1)).result()).toMatchObject({ finished: false, pieces: 1, contentBytes: 7 });
		expect(observed([chunk("a", { finishReason: "STOP" }), chunk("b")]).result().finished).toBe(false);
	});

	test("keep the last true count when placeholders follow", () => {
		const zeros = chunk("", {}, { usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 } });
		expect(observed([...stream, zeros]).result().usage).toMatchObject({ input: { total: 5 } });
	});

	test("are not misled by what the model says about tokens", () => {
		const talk = chunk('"totalTokenCount": 99, "finishReason": "STOP"');
		expect(observed([talk]).result()).toMatchObject({ finished: false, pieces: 1 });
		expect(observed([talk]).result().usage).toBeUndefined();
	});

	test("count calls of functions as content, and tell errors and blocked prompts", () => {
		const call = JSON.stringify({
			candidates: [{ content: { parts: [{ functionCall: { name: "f", args: { a: 1 } } }] }, finishReason: "STOP" }],
		});
		expect(observed([call]).result()).toMatchObject({ pieces: 1, finished: true });
		expect(
			observed([JSON.stringify({ error: { code: 503, message: "x", status: "UNAVAILABLE" } })]).result(),
		).toMatchObject({
			finished: false,
			error: { kind: "overloaded" },
		});
		expect(observed([JSON.stringify({ promptFeedback: { blockReason: "SAFETY" } })]).result()).toMatchObject({
			finished: true,
			pieces: 0,
		});
	});

	test("whole ones are counted too", () => {
		expect(passthrough.observe(JSON.parse(stream[1] ?? ""))).toMatchObject({
			finished: true,
			pieces: 1,
			contentBytes: 1,
			usage: { output: { total: 3 } },
		});
		expect(passthrough.observe(stream.map((each) => JSON.parse(each)))).toMatchObject({
			pieces: 2,
			usage: { input: { total: 5 } },
		});
		expect(passthrough.observe({ totalTokens: 3 })).toEqual({ finished: true, pieces: 0, contentBytes: 0 });
	});

	test("can be cut at a quota's bound, in both forms", () => {
		const cut = observed(stream.slice(0, 1)).cut();
		expect(streamFaults("generate-content", `data: ${stream[0]}\n\n${cut}`)).toEqual([]);
		expect(cut).toContain('"finishReason":"MAX_TOKENS"');
		const ask = askOf(hello, array);
		const editor = passthrough.editor(ask, same());
		const observer = passthrough.observer(ask);
		observer.event({ data: stream[0] ?? "" });
		const text = (editor?.event({ data: stream[0] ?? "" }) ?? "") + observer.cut();
		expect(streamFaults("generate-content", text, { array: true })).toEqual([]);
	});

	test("need no editing for a client of events without an alias", () => {
		expect(passthrough.editor(askOf(hello, events), same())).toBeUndefined();
	});

	test("get back the name that was asked for, and nothing else changes", () => {
		const tricky = chunk('say "modelVersion": "x"');
		const ask = askOf(hello, "fast:streamGenerateContent?alt=sse");
		const editor = passthrough.editor(ask, same());
		expect(editor?.event({ data: tricky })).toBe(`data: ${tricky.replace(`${model}-001`, "fast")}\n\n`);
		expect(editor?.end()).toBe("");
		const args = {
			candidates: [{ content: { parts: [{ functionCall: { name: "f", args: { modelVersion: "1" } } }] } }],
			modelVersion: model,
		};
		const generated = askOf(hello, "fast:generateContent");
		expect(JSON.parse(passthrough.restore(JSON.stringify(args), generated, same(), args))).toEqual({
			...args,
			modelVersion: "fast",
		});
		const counted = { totalTokens: 3 };
		expect(passthrough.restore('{"totalTokens":3}', askOf(hello, "fast:countTokens"), same(), counted)).toBe(
			'{"totalTokens":3}',
		);
	});

	test("become an array for a client that did not ask for events", () => {
		const ask = askOf(hello, array);
		const editor = passthrough.editor(ask, same());
		const text = [...stream, "[DONE]"].map((data) => editor?.event({ data }) ?? "").join("") + (editor?.end() ?? "");
		expect(text).toBe(`[${stream[0]}\n,\r\n${stream[1]}\n]`);
		expect(passthrough.editor(askOf(hello, array), same())?.end()).toBe("[]");
	});

	test("end an array properly when they fail", () => {
		const ask = askOf(hello, array);
		const editor = passthrough.editor(ask, same());
		const text =
			(editor?.event({ data: stream[0] ?? "" }) ?? "") +
			generateContent.client.renderStreamDenial({ kind: "upstream", message: "Gone." }, ask);
		expect(JSON.parse(text)).toHaveLength(2);
		expect(streamFaults("generate-content", text, { array: true })).toEqual([]);
	});
});
