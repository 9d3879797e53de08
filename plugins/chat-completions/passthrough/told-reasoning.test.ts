import { expect, test } from "bun:test";
import { ToldReasoning } from "./told-reasoning.ts";

/** Reads events as pretty as the strictest and the loosest write them; tells how many were read and what was found. */
const reading = (deltas: readonly unknown[], spaces?: number) => {
	const told = new ToldReasoning();
	let read = 0;
	for (const delta of deltas) {
		read++;
		if (!told.read(JSON.stringify({ choices: [{ index: 0, delta, logprobs: null }] }, null, spaces))) break;
	}
	return { read, answer: told.answer };
};

const call = (id?: string) => ({ tool_calls: [{ index: 0, id, function: { name: "f", arguments: "" } }] });
const found = (reasoning_content: string) => ({
	choices: [{ message: { tool_calls: [{ id: "c" }], reasoning_content } }],
});

test.each([undefined, 1])("reasoning in pieces before words and a call", (spaces) => {
	const deltas = [
		{ role: "assistant", content: "" },
		{ content: null, reasoning_content: 'He said "no\\' },
		{ reasoning_content: '"\n😀' },
		{ content: "So." },
		call("c"),
		{ content: "never read" },
	];
	expect(reading(deltas, spaces)).toEqual({ read: 5, answer: found('He said "no\\"\n😀') });
});

test("the other name that vendors have for it", () => {
	expect(reading([{ reasoning: "Hm." }, call("c")]).answer).toEqual(found("Hm."));
});

test("a call whose first piece has no id yet", () => {
	expect(reading([{ reasoning: "Hm." }, call(), call("c")])).toEqual({ read: 3, answer: found("Hm.") });
});

test.each([[{ content: "Hello" }], [call("c")]])("nothing is read on once something else was said: %p", (delta) => {
	expect(reading([{ role: "assistant", content: "" }, delta, { reasoning: "late" }, call("c")])).toEqual({
		read: 2,
		answer: undefined,
	});
});

test("reasoning without a call is nothing to keep", () => {
	expect(reading([{ reasoning: "Hm." }, { content: "Hello" }]).answer).toBeUndefined();
});

test("reasoning and its call in one event", () => {
	expect(reading([{ reasoning: "Hm.", ...call("c") }]).answer).toEqual(found("Hm."));
});

test.each([[{ reasoning_content: "" }], [{ reasoning_content: null }]])(
	"a call beside which its reasoning is empty: %p",
	(none) => {
		expect(reading([{ reasoning_content: "Hm." }, { content: "", ...none }, { ...call("c"), ...none }]).answer).toEqual(
			found("Hm."),
		);
	},
);

test("words beside which reasoning is empty end what is read", () => {
	expect(reading([{ content: "Hello", reasoning_content: "" }, { reasoning_content: "late" }, call("c")])).toEqual({
		read: 1,
		answer: undefined,
	});
});

test("reasoning in one long piece is found", () => {
	const piece = "\u0001".repeat(990_000);
	expect(reading([{ reasoning_content: piece }, call("c")]).answer).toEqual(found(piece));
});

test("reasoning without end is not gathered without end", () => {
	const deltas = Array.from({ length: 100 }, () => ({ reasoning_content: "s".repeat(100_000) }));
	const { read, answer } = reading([...deltas, call("c")]);
	expect(read).toBeLessThan(12);
	expect(answer).toBeUndefined();
});
