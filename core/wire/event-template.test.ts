import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { EventTemplate, eventMembers } from "./event-template.ts";

const chunk = (content: unknown, more: object = {}): string =>
	JSON.stringify({ id: "x", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more });

const learnt = (text: string, wanted = ["content"], others: string[] = []): EventTemplate => {
	const template = new EventTemplate(eventMembers(wanted, others));
	template.learn(text);
	return template;
};

describe("a text repeats another", () => {
	test("when only the wanted string differs, which is then read", () => {
		const template = learnt(chunk("one"));
		const text = chunk('two "quoted" \\ \n ü €');
		expect(template.repeats(text)).toBe(true);
		expect(template.value(text)).toBe('two "quoted" \\ \n ü €');
		expect(template.repeats(chunk(""))).toBe(true);
		expect(template.bytes).toBe(0);
	});

	test("when values of no interest differ too", () => {
		const template = learnt(chunk("a", { sequence_number: 1, obfuscation: "xy" }), undefined, [
			"sequence_number",
			"obfuscation",
		]);
		const text = chunk("b", { sequence_number: 27, obfuscation: "" });
		expect(template.repeats(text)).toBe(true);
		expect(template.value(text)).toBe("b");
	});

	test.each([
		["another member", chunk("a", { usage: {} })],
		["another value", chunk("a").replace("null", '"stop"')],
		["a value of another kind", chunk(null)],
		["an end too early", chunk("a").slice(0, -1)],
		["an end within the string", chunk("abc").slice(0, chunk("abc").indexOf("bc"))],
		["something behind", `${chunk("a")} `],
		["a line break within the string", chunk("a").replace('"a"', '"a\n"')],
		["nothing", ""],
	])("and not with %s", (_, text) => expect(learnt(chunk("one")).repeats(text)).toBe(false));

	test("and never before one was learnt, nor when no one string is wanted", () => {
		expect(new EventTemplate(eventMembers(["content"])).repeats("")).toBe(false);
		expect(learnt(chunk(1)).repeats(chunk("a"))).toBe(false);
		expect(learnt(chunk("a", { content: "b" })).repeats(chunk("a", { content: "b" }))).toBe(false);
	});

	test("has no value where an escape is none", () => {
		const text = chunk("a").replace('"a"', '"\\x"');
		const template = learnt(chunk("one"));
		expect(template.repeats(text)).toBe(true);
		expect(template.value(text)).toBeUndefined();
	});
});

test("whatever the string, a text that repeats says the same as its parse", () => {
	const template = learnt(chunk("one", { n: 1 }), ["content"], ["n"]);
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.double({ noNaN: true, noDefaultInfinity: true }), (content, n) => {
			const text = chunk(content, { n });
			expect(template.repeats(text)).toBe(true);
			expect(template.value(text)).toBe(JSON.parse(text).choices[0].delta.content);
		}),
	);
});

describe("a text that is written otherwise than it came", () => {
	const come = (content: string, pad: string): string => chunk(content, { usage: null, pad });
	const go = (content: string, pad: string): string => `data: ${chunk(content, { pad })}\n\n`;
	const both = (asWritten: string): { template: EventTemplate; written: EventTemplate } => {
		const members = eventMembers(["content"], ["pad"]);
		const [template, written] = [new EventTemplate(members), new EventTemplate(members)];
		template.learnBoth(come("one", "x"), written, asWritten);
		return { template, written };
	};

	test("is written so again, with its own values", () => {
		const { template, written } = both(go("one", "x"));
		expect(template.repeats(come('two \\ "', ""))).toBe(true);
		expect(template.reworded(come('two \\ "', ""), written)).toBe(go('two \\ "', ""));
	});

	test("repeats nothing where a value got lost on the way", () => {
		const { template } = both("data: {}\n\n");
		expect(template.repeats(come("one", "x"))).toBe(false);
	});
});

test("texts that never repeat are not learnt for ever", () => {
	const template = new EventTemplate(eventMembers(["content"]));
	for (let id = 0; id < 100; id++) template.learn(chunk("a", { id }));
	expect(template.repeats(chunk("b", { id: 99 }))).toBe(false);
});
