/** What a client of this protocol changes amid its conversation, for models that know of no such thing. */
import { describe, expect, test } from "bun:test";
import { facts } from "./facts.ts";
import { asked, askOf, type Json } from "./fixtures/exchange.ts";

const tool = (name: string, description = "d"): Json => ({ name, description, input_schema: { type: "object" } });
const reference = (name: string): Json => ({ type: "tool_reference", name });
const adds = (changed: Json): Json => ({ type: "tool_addition", tool: changed });
const removes = (name: string): Json => ({ type: "tool_removal", tool: reference(name) });
const defines = (definition: Json): Json => adds({ type: "tool_definition", definition });
const system = (content: unknown, more: Json = {}): Json => ({ role: "system", content, ...more });
const effort = (word: string): Json => system([], { output_config: { effort: word } });
const said: Json = { role: "user", content: "Hi" };
const answered: Json = { role: "assistant", content: "Yes?" };
const called: Json = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
const result: Json = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] };

describe("tools that change amid the conversation", () => {
	const offered = (...messages: readonly Json[]) =>
		(asked({ tools: [tool("f"), tool("g")], messages }).tools ?? []).map((one) =>
			one.type === "function" ? `${one.name} ${one.description}` : one.type,
		);

	test("are those that stand when the answer is asked for", () => {
		expect(offered(said, system([removes("g")]))).toEqual(["f d"]);
		expect(offered(said, system([removes("g")]), answered, said, system([adds(reference("g"))]))).toEqual([
			"f d",
			"g d",
		]);
		expect(offered(said, system([defines(tool("h", "new"))]))).toEqual(["f d", "g d", "h new"]);
		expect(offered(said, system([defines(tool("f", "better"))]))).toEqual(["g d", "f better"]);
		expect(offered(said, system([defines(tool("h")), removes("h")]))).toEqual(["f d", "g d"]);
	});

	test("are told by a summary of what went before, and within a user's words, too", () => {
		const summary = { type: "compaction", content: "So far.", tool_changes: [removes("f")] };
		expect(offered({ role: "assistant", content: [summary] }, said)).toEqual(["g d"]);
		const amid = { type: "mid_conv_system", content: [removes("g")] };
		expect(offered({ role: "user", content: [{ type: "text", text: "Hi" }, amid] })).toEqual(["f d"]);
	});

	test("are said where they change", () => {
		const { messages } = asked({ tools: [tool("g")], messages: [said, system([removes("g"), defines(tool("h"))])] });
		expect(messages.at(-1)).toEqual({
			role: "system",
			blocks: [
				{ type: "text", text: "From here on the tool `g` is not available." },
				{ type: "text", text: "From here on the tool `h` is available." },
			],
		});
	});

	test("of a server that only Anthropic's reach stay what they are", () => {
		const told = adds({ type: "mcp_toolset_reference", server_name: "m" });
		expect(asked({ messages: [said, system([told])] }).messages.at(-1)?.blocks).toMatchObject([
			{ type: "unknown", raw: told },
		]);
	});

	test("count for what a call may cost as those of the list do", () => {
		const bound = (...messages: readonly Json[]) =>
			facts.bound(askOf({ model: "m", max_tokens: 9, tools: [tool("f")], messages }).body);
		expect(bound(said, system([removes("f"), defines(tool("h"))])).open).toBe(false);
		const search = { type: "web_search_20260318", name: "web_search", max_uses: 2 };
		expect(bound(said, system([defines(search)])).fees.webSearches).toBe(2);
	});
});

describe("the effort", () => {
	const effortOf = (...messages: readonly Json[]) =>
		asked({ messages, output_config: { effort: "high" } }).reasoning?.effort;

	test("is what the last message tells for the words that are answered", () => {
		expect(effortOf(said, answered, effort("low"), said)).toBe("low");
		expect(effortOf(said, effort("low"))).toBe("low");
		expect(effortOf(said, effort("low"), answered, said)).toBe("low");
		expect(effortOf(said, effort("low"), answered, effort("max"), said)).toBe("max");
		expect(effortOf(said, system("Be kind."), effort("low"))).toBe("low");
	});

	test("waits for the user's next words where none stand before it", () => {
		expect(effortOf(said, answered, effort("low"))).toBe("high");
		expect(effortOf(said, called, result, effort("low"))).toBe("high");
	});

	test("may be told by a message without content", () => {
		expect(effortOf(said, { role: "system", output_config: { effort: "low" } })).toBe("low");
		expect(() => askOf({ model: "m", max_tokens: 9, messages: [{ role: "system" }] })).toThrow("content");
	});
});

test("words for one turn are not shown in the next", () => {
	const reminder = system("Mind the gap.", { clear_at: "next_user_message" });
	const shown = (...messages: readonly Json[]) =>
		JSON.stringify(asked({ messages }).messages).includes("Mind the gap.");
	expect(shown(said, reminder)).toBe(true);
	expect(shown(said, reminder, answered)).toBe(true);
	expect(shown(said, reminder, called, result)).toBe(false);
	expect(shown(said, system("Mind the gap."), answered, said)).toBe(true);
});
