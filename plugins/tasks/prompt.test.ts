import { describe, expect, test } from "bun:test";
import { bothSay, saidBy } from "./prompt.ts";

describe("what a request says", () => {
	test("is its words as they are", () => {
		const fields = {
			quality: "HIGH",
			width: 512,
			sound: false,
			tags: ["a"],
			none: null,
			long: "x".repeat(65),
			image: "https://a.example/1",
		};
		const nulls = { tags: null, none: null, long: null, image: null };
		expect(saidBy({ prompt: "a cat", input: { ...fields, left: undefined }, details: {} })).toEqual({
			...fields,
			...nulls,
		});
	});
	test.each([
		"a cat --turbo",
		"--hd a cat",
		"a cat \u2014quality 4",
		"a cat\n--ar 1:1 --q 2",
		"a \u2013\u2013 b --Fast",
	])("cannot be told where its prompt may: %j", (prompt) =>
		expect(saidBy({ prompt, input: {}, details: {} })).toBeUndefined(),
	);
	test.each(["a cat --ar 16:9 --v 7", "a cat \u2014 or two", "x--y", "-- a", "a--turbo", "\u2014Hola, dijo"])(
		"can where it may not: %j",
		(prompt) => expect(saidBy({ prompt, input: {}, details: {} })).toEqual({}),
	);
	test("cannot be told of a hundred fields, nor of names as long as content", () => {
		const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, 1]));
		expect(saidBy({ prompt: "", input: many, details: {} })).toBeUndefined();
		expect(saidBy({ prompt: "", input: { ["x".repeat(65)]: 1 }, details: {} })).toBeUndefined();
	});
	test("is what its kind has read rather than the field that it was read from", () => {
		const details = { size: "1x1", n: 2, seconds: 5, aspectRatio: "1:1", follows: "task_1" };
		const input = { size: "2x2", mode: "pro", seconds: "5" };
		const read = { size: "1x1", mode: "pro", n: 2, seconds: 5, aspect_ratio: "1:1" };
		expect(saidBy({ prompt: "", input, details })).toEqual(read);
	});
	test("of a task that goes on is what both say alike", () => {
		const [before, own] = [
			{ mode: "pro", size: "1x1", hd: true },
			{ mode: "pro", size: "2x2", sound: false },
		];
		expect(bothSay(own, before)).toEqual({ mode: "pro", size: null, hd: null, sound: null });
		expect(bothSay(own, undefined)).toBeUndefined();
		expect(bothSay(undefined, before)).toBeUndefined();
	});
});
