/** Forms: any that is well made is read as it was made; all others are refused, and none costs more than its bytes. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { FormBody, FormPart } from "../contract/endpoint.ts";
import { isFault } from "../contract/fault.ts";
import { formText, readForm, replacePart, withoutParts } from "./form.ts";

const type = "multipart/form-data; boundary=B";
const read = (text: string, contentType = type) => readForm(Buffer.from(text), contentType);
const refusal = (work: () => unknown): unknown => {
	try {
		work();
	} catch (error) {
		return isFault(error) ? error.denial : error;
	}
	return undefined;
};
const part = (name: string, value: string): string =>
	`--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test("what the runtime's own FormData writes is read: text, files, any bytes, any name of a file", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.uint8Array({ maxLength: 600 }),
			fc.string({ unit: "grapheme", maxLength: 60 }),
			// A backslash at the end is read by some as the mark of a quote: see below.
			fc.string({ maxLength: 20 }).filter((name) => !name.endsWith("\\")),
			async (bytes, value, filename) => {
				const form = new FormData();
				form.append("model", value);
				form.append("file", new Blob([bytes]), filename);
				const request = new Request("http://localhost", { method: "POST", body: form });
				const contentType = request.headers.get("content-type") ?? "";
				const found = readForm(new Uint8Array(await request.arrayBuffer()), contentType);
				expect(found.parts.map(({ name }) => name)).toEqual(["model", "file"]);
				// The runtime writes every end of a line as the standard wants it.
				expect(formText(found, "model")).toBe(value.replace(/\r\n|\r|\n/g, "\r\n"));
				const file = found.parts[1];
				expect(Buffer.compare(found.bytes.subarray(file?.start, file?.end), bytes)).toBe(0);
				expect(file?.filename).toBeDefined();
				const other = readForm(replacePart(found, "model", "another-model"), contentType);
				expect(formText(other, "model")).toBe("another-model");
				expect(Buffer.compare(other.bytes.subarray(other.parts[1]?.start, other.parts[1]?.end), bytes)).toBe(0);
			},
		),
	);
});

test("a value may hold what looks like another form, with another boundary", () => {
	const inner = '--C\r\nContent-Disposition: form-data; name="model"\r\n\r\nevil\r\n--C--\r\n';
	const form = read(`${part("model", "good")}${part("prompt", inner)}--B--`);
	expect(formText(form, "model")).toBe("good");
	expect(formText(form, "prompt")).toBe(inner);
});

test("letters that clients tell, and those of a file, are read as ever", () => {
	const head = (rest: string) => `--B\r\nContent-Disposition: form-data; name="${rest}\r\n\r\nx\r\n`;
	const text = 'model"\r\nContent-Type: text/plain; charset=ISO-8859-1';
	const file = 'file"; filename="a.txt"\r\nContent-Type: text/plain; charset=utf-16';
	const form = read(`${head(text)}${head(file)}--B--`, 'multipart/form-data; boundary=B; charset="UTF-8"');
	expect([formText(form, "model"), form.parts[1]?.filename]).toEqual(["x", "a.txt"]);
});

describe("is refused with a sentence:", () => {
	const good = part("model", "x");
	test.each([
		["no boundary", good, "multipart/form-data"],
		["two boundaries", good, "multipart/form-data; boundary=A; boundary=B"],
		...["\\\\", " ", "=?", ","].map((end): [string, string, string] => [
			`a boundary that ends in ${JSON.stringify(end)}, which not all read alike`,
			`--A\r\n${good.replaceAll("--B", `--A${end}`)}--A${end}--\r\n--A--`,
			end === "," ? `multipart/form-data; boundary=A${end}` : `multipart/form-data; boundary="A${end}"`,
		]),
		["another type", good, "application/json"],
		["nothing at all", "", type],
		["another boundary than its own", good.replaceAll("--B", "--C"), type],
		["no last boundary", good, type],
		["an end in the middle", `${good}--B\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc`, type],
		["a head without an end", `--B\r\nContent-Disposition: form-data; name="x"`, type],
		["a part without a name", `--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--`, type],
		["10,000 parts", `${good.repeat(10_000)}--B--`, type],
		[
			"a long head",
			`--B\r\nX: ${"a".repeat(5000)}\r\nContent-Disposition: form-data; name="x"\r\n\r\nx\r\n--B--`,
			type,
		],
		["two names in one head", `--B\r\nContent-Disposition: form-data; name="a"; name="model"\r\n\r\nx\r\n--B--`, type],
		[
			"a name in two spellings",
			`--B\r\nContent-Disposition: form-data; name="a"; name*=UTF-8''model\r\n\r\nx\r\n--B--`,
			type,
		],
		[
			"two dispositions",
			`--B\r\nContent-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="model"\r\n\r\nx\r\n--B--`,
			type,
		],
		["a line within a line", `--B\r\nContent-Disposition: form-data; name="a"\nX: y\r\n\r\nx\r\n--B--`, type],
		[
			"a name of which nobody knows where it ends",
			`--B\r\nContent-Disposition: form-data; name="a"; filename="b\\"\r\n\r\nx\r\n--B--`,
			type,
		],
		[
			"a form within a form",
			`--B\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: Multipart/Mixed; boundary=C\r\n\r\n--C\r\nContent-Disposition: file; filename=a\r\n\r\nx\r\n--C--\r\n${good}--B--`,
			type,
		],
		[
			"a name in pieces",
			`--B\r\nContent-Disposition: form-data; name="a"; name*0="mo"; name*1="del"\r\n\r\nx\r\n--B--`,
			type,
		],
		[
			"a quote that some read as the end of a name and others not",
			`--B\r\nContent-Disposition: form-data; name="a\\\\"; filename="; name=model; c="\r\n\r\nx\r\n--B--`,
			type,
		],
		["a name in the encoding of mail", `${part("=?utf-8?q?model?=", "x")}--B--`, type],
		["a boundary behind a bare line feed", `${part("a", `x\n${good}`)}--B--`, type],
		["a boundary behind a bare return", `${part("a", `x\r${good}`)}--B--`, type],
		["a boundary behind a bare line feed before all others", `x\n${good}\r\n${good}--B--`, type],
		...["model[]", "modelé", "mo:del", ""].map((name): [string, string, string] => [
			`a name without quotes that not all end alike: ${name}`,
			`--B\r\nContent-Disposition: form-data; name=${name}\r\n\r\nx\r\n--B--`,
			type,
		]),
		["a boundary right behind a head", `--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n${good}--B--`, type],
		["a boundary amid a line before all others", `x${part("model", "dear")}${good}--B--`, type],
		["a part behind the last boundary", `${good}--B--\r\n${part("a", "x")}--B--`, type],
		...["charset=utf-7; boundary=B", 'boundary=B; Charset = "utf-16"', "boundary=B; charset*=UTF-8''utf-7"].map(
			(parameters): [string, string, string] => [
				`other letters: ${parameters}`,
				`${good}${part("+AG0-odel", "dear")}--B--`,
				`multipart/form-data; ${parameters}`,
			],
		),
		[
			"a field in other letters",
			`--B\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=base64\r\n\r\nx\r\n--B--`,
			type,
		],
		["a field that tells the letters of all", `${good}${part("_charset_", "utf-7")}--B--`, type],
		["a folded line", `--B\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\nx\r\n--B--`, type],
	])("%s", (_name, body, contentType) => {
		expect(refusal(() => read(body, contentType))).toMatchObject({
			kind: "invalid_request",
			code: "invalid_form",
			message: expect.stringMatching(/^[A-Z].{20,}\.$/),
		});
	});

	test("a field that is there twice, or as a file, is not guessed at", () => {
		const twice = read(`${good}${part("model", "y")}--B--`);
		const file = read(`--B\r\nContent-Disposition: form-data; name="model"; filename=""\r\n\r\nx\r\n--B--`);
		for (const form of [twice, file])
			expect(refusal(() => formText(form, "model"))).toMatchObject({ code: "invalid_form", parameter: "model" });
	});
});

test("a name may stand without quotes", () => {
	const form = read(`--B\r\nContent-Disposition: form-data; name=model ; filename=a-b.wav\r\n\r\nx\r\n--B--`);
	expect(form.parts).toMatchObject([{ name: "model", filename: "a-b.wav" }]);
});

test("a name in quotes hides no other name", () => {
	const form = read(`--B\r\nContent-Disposition: form-data; filename="a; name=model"; name="file"\r\n\r\nx\r\n--B--`);
	expect(form.parts).toMatchObject([{ name: "file", filename: "a; name=model" }]);
});

test("a file's name may have backslashes, written once or twice", () => {
	for (const written of ["C:\\\\a.wav", "C:\\a.wav"]) {
		const form = read(`--B\r\nContent-Disposition: form-data; name="file"; filename="${written}"\r\n\r\nx\r\n--B--`);
		expect(form.parts).toMatchObject([{ name: "file", filename: "C:\\a.wav" }]);
	}
});

test("any bytes are read or refused, never anything else", () => {
	const piece = fc.constantFrom(
		"--B",
		"--",
		"\r\n",
		"\r\n\r\n",
		'Content-Disposition: form-data; name="a"',
		";",
		'"',
		"x",
	);
	fc.assert(
		fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
			const found = refusal(() => read(pieces.join("")));
			if (found !== undefined) expect(found).toMatchObject({ code: "invalid_form" });
		}),
		{ numRuns: 2000 },
	);
});

describe("a form without some of its parts", () => {
	const textOf = ({ bytes }: FormBody, { start, end }: FormPart): string =>
		Buffer.from(bytes.subarray(start, end)).toString();

	test("keeps the others as they were, whatever stood around them", () => {
		const names = fc.constantFrom("a", "b", "model");
		const values = fc.constantFrom("", "x", "\r\n", "\r\n--", "x\r\n--C\r\n");
		const before = fc.constantFrom("", "\r\n", "words\r\n");
		fc.assert(
			fc.property(fc.array(fc.tuple(names, values)), before, (fields, preamble) => {
				const form = read(`${preamble}${fields.map(([name, value]) => part(name, value)).join("")}--B--\r\nmore`);
				const { form: left, removed } = withoutParts(form, (name) => name === "a");
				expect(removed).toEqual(fields.flatMap(([name]) => (name === "a" ? [name] : [])));
				expect(left.parts.map((one) => [one.name, textOf(left, one)])).toEqual(fields.filter(([name]) => name !== "a"));
			}),
			{ numRuns: 500 },
		);
	});
	test("is itself where it has none of them", () => {
		const form = read(`${part("b", "x")}--B--`);
		expect(withoutParts(form, (name) => name === "a").form).toBe(form);
	});
});
