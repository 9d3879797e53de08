/** Anthropic and Gemini refuse what they would enforce as too much: they are asked again for the same, enforced no more. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import { askRefused, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const tooLarge =
	"The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools.";

const schema = {
	type: "object",
	properties: { a: { type: "string" } },
	required: ["a"],
	additionalProperties: false,
};
const tools = [{ type: "function", name: "f", parameters: schema, strict: true }];
const format = { type: "json_schema", name: "o", schema, strict: true };

/** Asks where each request is refused with these words, one after the other, and the next is answered. */
const ask = (body: WireRecord, words: readonly string[], strict = false) => {
	const refusals = words.map((message) => ({ type: "error", error: { type: "invalid_request_error", message } }));
	return askRefused(world, ["responses", "messages"], { input: "Hi", ...body }, refusals, { strict });
};

test("strict tools go as plain ones, and that is told", async () => {
	const { status, dropped, sent } = await ask({ tools }, [tooLarge]);
	expect(status).toBe(200);
	expect(dropped).toBe("tools[0].strict");
	const offered = sent.map((body) => asRecord(asList(body["tools"])[0]));
	expect(offered.map(({ name, strict }) => [name, strict])).toEqual([
		["f", true],
		["f", undefined],
	]);
});

test("an answer's schema is the input of a tool", async () => {
	const words = `output_config.format.schema: Invalid schema: ${tooLarge}`;
	const { status, dropped, sent } = await ask({ text: { format } }, [words]);
	expect(status).toBe(200);
	expect(dropped).toBe("text.format.strict");
	expect(sent.map((body) => [body["output_config"] !== undefined, asList(body["tools"]).length])).toEqual([
		[true, 0],
		[false, 1],
	]);
});

test("nothing is asked twice that would be the same, or that is refused for another reason", async () => {
	expect((await ask({ tools: [{ ...tools[0], strict: false }] }, [tooLarge])).sent).toHaveLength(1);
	const other = await ask({ tools }, ["max_tokens: too much"]);
	expect([other.status, other.sent.length]).toEqual([400, 1]);
	const again = await ask({ tools }, [tooLarge, tooLarge]);
	expect([again.status, again.sent.length]).toEqual([400, 2]);
});

test("where nothing may be lost it is refused", async () => {
	const { status, sent, text } = await ask({ tools }, [tooLarge], true);
	expect([status, sent.length]).toEqual([400, 1]);
	expect(text).toContain("tools[0].strict");
});

test("a schema that has too many states for Gemini is asked for in words", async () => {
	const before = world.upstream.received.length;
	const asked = world.send("chat-completions", "generate-content", {
		response_format: { type: "json_schema", json_schema: { name: "o", schema, strict: true } },
	});
	const message = "The specified schema produces a constraint that has too many states for serving.";
	const answer = {
		candidates: [{ content: { role: "model", parts: [{ text: '{"a":"b"}' }] }, finishReason: "STOP" }],
		usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
	};
	let asks = 0;
	world.upstream.answer(() =>
		asks++ === 0
			? Response.json({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }, { status: 400 })
			: Response.json(answer),
	);
	const response = await asked;
	expect([response.status, response.headers.get("x-portico-dropped")]).toEqual([
		200,
		"response_format.json_schema.strict",
	]);
	const sent = world.upstream.received.slice(before).map(({ json }) => asRecord(json));
	expect(sent.map((body) => asRecord(body["generationConfig"])["responseJsonSchema"] !== undefined)).toEqual([
		true,
		false,
	]);
	expect(JSON.stringify(sent[1]?.["systemInstruction"])).toContain("conform to this JSON Schema");
});
