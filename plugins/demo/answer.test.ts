import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { NeutralRequest } from "#core";
import { answer, wordsOf } from "./answer.ts";

const request = (said: string, more: Partial<NeutralRequest> = {}): NeutralRequest => ({
	protocol: "messages",
	model: "demo",
	stream: false,
	messages: [{ role: "user", blocks: [{ type: "text", text: said }] }],
	sampling: {},
	raw: {},
	...more,
});

const tool = (name: string) => ({
	type: "function" as const,
	name,
	schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
});

const asked = (said: string, more: Partial<NeutralRequest> = {}) => {
	const whole = answer(request(said, more), "demo", "id", 1);
	const [first] = whole.candidates;
	if (!first) throw new Error("no answer");
	const text = first.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
	return { ...first, text, usage: whole.usage, whole };
};

const full = asked("Hello there").text;

describe("the demo model", () => {
	test("says what it is, and what the user said", () => {
		expect(full).toContain("demo model of Portico");
		expect(full).toContain("no provider was asked");
		expect(full).toContain("Hello there");
	});

	test("says the same to the same request", () => {
		expect(asked("Hello there").whole).toEqual(asked("Hello there").whole);
	});

	test("repeats the user's last words, not the assistant's nor a tool's", () => {
		const { text } = asked("", {
			messages: [
				{ role: "user", blocks: [{ type: "text", text: "first" }] },
				{ role: "user", blocks: [{ type: "text", text: "second" }] },
				{ role: "assistant", blocks: [{ type: "text", text: "third" }] },
			],
		});
		expect(text).toEndWith("You said: second");
	});

	test("never cuts a character in two", () => {
		for (const said of ["😀".repeat(500), `x${"😀".repeat(500)}`]) {
			const { text } = asked(said);
			expect(text.isWellFormed()).toBe(true);
		}
	});

	test("gives as many answers as were asked for, and counts them all", () => {
		const { whole } = asked("Hello", { candidates: 3 });
		expect(whole.candidates.map(({ index }) => index)).toEqual([0, 1, 2]);
		expect(whole.usage?.output.total).toBe(3 * wordsOf(asked("Hello").text).length);
	});
});

describe("its limits", () => {
	test("an output limit cuts at that many words, and says so", () => {
		expect(asked("Hello there", { maxOutputTokens: 3 })).toMatchObject({
			text: "This is the",
			finish: { reason: "length" },
			usage: { output: { total: 3 } },
		});
	});

	test("a stop sequence ends the text before it, and is named", () => {
		expect(asked("Hello there", { stop: ["zebra", " model"] })).toMatchObject({
			text: "This is the demo",
			finish: { reason: "stop_sequence", stopSequence: " model" },
		});
	});

	const stops = fc.array(fc.constantFrom<string>("demo", " ", "You", ".", "zebra", ""), { maxLength: 3 });
	const reasonings = fc.constantFrom<Partial<NeutralRequest>>({}, { reasoning: { mode: "on" } });

	test("whatever is asked, it counts what it says, and says no more than it may", () => {
		fc.assert(
			fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), stops, reasonings, (said, most, stop, more) => {
				const { blocks, usage, text } = asked(said, { maxOutputTokens: most, stop, ...more });
				const words = blocks.reduce((sum, block) => sum + ("text" in block ? wordsOf(block.text).length : 0), 0);
				expect(usage?.output.total).toBe(words);
				expect(wordsOf(text).length).toBeLessThanOrEqual(most);
				for (const word of stop.filter((one) => one !== "")) expect(text).not.toContain(word);
			}),
		);
	});

	test("whatever is asked, it says how it ended", () => {
		fc.assert(
			fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), stops, (said, most, stop) => {
				const { finish, text } = asked(said, { maxOutputTokens: most, stop });
				if (finish.reason === "length") expect(wordsOf(text)).toHaveLength(most);
				if (finish.reason === "stop_sequence") expect(stop).toContain(finish.stopSequence ?? "none");
				if (finish.reason === "stop") expect(text).toContain("no provider was asked");
			}),
		);
	});

	test("words put together again are the text", () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.string({ minLength: 1 }).filter((word) => /^\S+$/.test(word)),
					{ minLength: 1 },
				),
				(words) => {
					expect(wordsOf(words.join(" ")).join("")).toBe(words.join(" "));
					expect(wordsOf(words.join(" "))).toHaveLength(words.length);
				},
			),
		);
	});
});

describe("what it can be asked for", () => {
	test("a tool that is forced is called with arguments its schema accepts", () => {
		const { blocks, finish } = asked("Oslo", { tools: [tool("a"), tool("b")], toolChoice: { mode: "required" } });
		expect(blocks).toMatchObject([
			{ type: "tool_call", name: "a", arguments: { form: "json", value: { city: "Oslo" } } },
		]);
		expect(finish.reason).toBe("tool_calls");
	});

	test("the one that is named is called; one that is not there is not", () => {
		const named = (name: string) =>
			asked("Oslo", { tools: [tool("a"), tool("b")], toolChoice: { mode: "named", names: [name], force: true } });
		expect(named("b").blocks).toMatchObject([{ type: "tool_call", name: "b" }]);
		expect(named("c").blocks).toMatchObject([{ type: "text" }]);
	});

	test("of several tools the one that was spoken of is called, and then it answers", () => {
		const described = (name: string, description: string) => ({ ...tool(name), description });
		const tools = [described("get_time", "The time of day."), described("get_weather", "The weather in a city.")];
		const said = "What is the weather in Oslo?";
		const { blocks, finish } = asked(said, { tools });
		expect([blocks, finish.reason]).toMatchObject([[{ type: "tool_call", name: "get_weather" }], "tool_calls"]);
		expect(asked("And the time?", { tools }).blocks).toMatchObject([{ name: "get_time" }]);
		// LangChain4j asks Gemini for text in so many words.
		expect(asked(said, { tools, format: { type: "text" } }).blocks).toMatchObject([{ name: "get_weather" }]);
		const result = { type: "tool_result", callId: "call_demo_1", content: [{ type: "text", text: "cold" }] } as const;
		const messages = [
			{ role: "user", blocks: [{ type: "text", text: said }] },
			{ role: "assistant", blocks },
			{ role: "tool", blocks: [result] },
		] as const;
		expect(asked("", { tools, messages }).blocks).toMatchObject([{ type: "text" }]);
		expect(asked(said, { tools, toolChoice: { mode: "none" } }).blocks).toMatchObject([{ type: "text" }]);
	});

	test("each call of a conversation has an id of its own", () => {
		const tools = [tool("get_weather")];
		const { blocks } = asked("The weather in Oslo?", { tools });
		const messages = [
			{ role: "user", blocks: [{ type: "text", text: "The weather in Oslo?" }] },
			{ role: "assistant", blocks },
			{ role: "tool", blocks: [{ type: "tool_result", callId: "call_demo_1", content: [] }] },
			{ role: "assistant", blocks: [{ type: "text", text: "Cold." }] },
			{ role: "user", blocks: [{ type: "text", text: "And the weather in Bergen?" }] },
		] as const;
		const ids = [blocks, asked("", { tools, messages }).blocks].map(([call]) => call?.type === "tool_call" && call.id);
		expect(ids).toEqual(["call_demo_1", "call_demo_2"]);
	});

	test("it answers a result also where a picture of it follows in words of the user's", () => {
		const tools = [tool("get_weather")];
		const said = { role: "user", blocks: [{ type: "text", text: "The weather in Oslo?" }] } as const;
		const call = { role: "assistant", blocks: asked("", { tools, messages: [said] }).blocks } as const;
		const result = { role: "tool", blocks: [{ type: "tool_result", callId: "call_demo_1", content: [] }] } as const;
		const picture = {
			role: "user",
			blocks: [{ type: "text", text: "Attached to the result of get_weather:" }],
		} as const;
		expect(asked("", { tools, messages: [said, call, result, picture] }).blocks).toMatchObject([{ type: "text" }]);
	});

	test("tools that are merely offered are not called", () => {
		expect(asked("Oslo", { tools: [tool("a")] }).blocks).toMatchObject([{ type: "text" }]);
	});

	test("a custom tool gets text", () => {
		const { blocks } = asked("Oslo", { tools: [{ type: "custom", name: "raw" }], toolChoice: { mode: "required" } });
		expect(blocks).toMatchObject([{ type: "tool_call", kind: "custom", arguments: { form: "text", text: "Oslo" } }]);
	});

	test("a schema, JSON or an enumeration for the answer is kept to", () => {
		const schema = { type: "object", properties: { n: { type: "integer", minimum: 5 } }, required: ["n"] };
		expect(JSON.parse(asked("x", { format: { type: "schema", schema } }).text)).toEqual({
			n: 5,
		});
		expect(JSON.parse(asked("x", { format: { type: "json" } }).text)).toHaveProperty("message");
		expect(asked("x", { format: { type: "enum", values: ["yes", "no"] } }).text).toBe("yes");
	});

	test("thinking comes first where it is asked for, and is counted", () => {
		const { blocks, usage } = asked("why", { reasoning: { mode: "on", effort: "high" } });
		expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text"]);
		expect(usage?.output.reasoning).toBeGreaterThan(0);
		for (const reasoning of [{ mode: "off" }, { mode: "default" }, { mode: "on", expose: "none" }] as const)
			expect(asked("why", { reasoning }).blocks.map(({ type }) => type)).toEqual(["text"]);
	});

	test("web search comes with a citation of its text", () => {
		const search = {
			type: "server",
			tool: "web_search",
			vendorType: "web_search",
			name: "web_search",
			config: {},
			origin: { protocol: "messages", family: "x" },
		} as const;
		const { blocks, text } = asked("news", { tools: [search] });
		expect(blocks.map(({ type }) => type)).toEqual(["server_call", "server_result", "text"]);
		expect(blocks[2]).toMatchObject({
			citations: [{ url: "https://example.com/", target: { start: 0, end: text.length } }],
		});
	});
});
