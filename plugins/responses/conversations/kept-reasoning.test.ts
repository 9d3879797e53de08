/** Reasoning that a client of Responses left out, put back where it stood. */
import { expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { createTestClock } from "#core/testing";
import { carryFor } from "../carrier.ts";
import { askOf } from "../fixtures/trial.ts";
import { KeptReasoning } from "./kept-reasoning.ts";

const token = "tok_1";
const origin = { protocol: "generate-content", family: "gemini" };
const thought = (id: string) => ({
	...{ type: "reasoning", id: `rs_portico_${id}`, summary: [] },
	encrypted_content: carryFor("next", { value: id, origin }),
});
const user = { role: "user", content: "Hi" };
const call = (call_id: string) => ({ type: "function_call", name: "f", arguments: "{}", call_id });
const output = (call_id: string, text: string) => ({ type: "function_call_output", call_id, output: text });
const words = { role: "assistant", content: "So." };

/** What stands in the input of the next request, in short. */
const loaded = (kept: KeptReasoning, ...input: readonly unknown[]): readonly unknown[] => {
	const { body } = kept.load(askOf({ model: "m", input }), token, undefined);
	expect(JSON.parse(body.text)).toEqual(body.value);
	return asList(body.value["input"])
		.map(asRecord)
		.map(({ type, id, call_id, role }) => (type === "reasoning" ? id : (call_id ?? role)));
};

test("each thought stands before its call, the others at the beginning of the turn, however the client orders it", () => {
	const kept = new KeptReasoning(createTestClock());
	kept.save(askOf({ model: "m", input: [user] }), token, {
		output: [thought("1"), words, thought("2"), call("a"), thought("3"), call("b"), thought("4")],
	});
	const [first, second, third] = ["1", "2", "3"].map((id) => `rs_portico_${id}`);
	const results = [output("a", "x"), output("b", "y")];
	expect(loaded(kept, user, call("a"), call("b"), words, ...results)).toEqual([
		...["user", first, second, "a", third, "b", "assistant", "a", "b"],
	]);
});

test("of calls that are counted anew each gets its own, and what has no call in its turn goes to no later one", () => {
	const kept = new KeptReasoning(createTestClock());
	const save = (input: readonly unknown[], ...told: readonly unknown[]): void =>
		kept.save(askOf({ model: "m", input }), token, { output: told });
	save([user], thought("1"), call("0"), thought("2"), call("1"));
	const turn = [user, call("0"), output("0", "x")];
	const next = [call("0"), call("1"), output("0", "y"), output("1", "y")];
	expect(loaded(kept, ...turn, ...next)).toEqual(["user", "rs_portico_1", "0", "0", "0", "1", "0", "1"]);
	save(turn, thought("3"), call("0"), call("1"));
	expect(loaded(kept, ...turn, ...next)).toEqual([
		...["user", "rs_portico_1", "0", "0", "rs_portico_3", "0", "1", "0", "1"],
	]);
});

test("a turn that thinks already, OpenAI's own reasoning and another conversation get nothing", () => {
	const kept = new KeptReasoning(createTestClock());
	kept.save(askOf({ model: "m", input: [user] }), token, { output: [thought("1"), call("a")] });
	expect(loaded(kept, user, thought("own"), call("a"), output("a", "x"))).toEqual([
		...["user", "rs_portico_own", "a", "a"],
	]);
	expect(loaded(kept, { role: "user", content: "Hello" }, call("a"), output("a", "x"))).toEqual(["user", "a", "a"]);
	const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
	kept.save(askOf({ model: "m", input: [output("z", "z")] }), token, { output: [sealed, call("b")] });
	expect(loaded(kept, output("z", "z"), call("b"), output("b", "x"))).toEqual(["z", "b", "b"]);
});
