/** Forms that go to upstreams: read again they are what was meant, whatever a client called its file. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { isFault } from "../contract/fault.ts";
import { formFile, formMessage, formOf } from "./endpoint-form.ts";
import { formText, readForm } from "./form.ts";

const written = (...fields: Parameters<typeof formMessage>[1]) => {
	const { headers, body } = formMessage("/x", fields);
	return { bytes: Buffer.from(body), contentType: headers["content-type"] ?? "" };
};

test("what is written is read as it was meant, by Portico and by the runtime", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.uint8Array({ maxLength: 300 }),
			fc.string({ unit: "grapheme", maxLength: 40 }),
			fc.string({ maxLength: 20 }),
			async (bytes, text, filename) => {
				const { bytes: body, contentType } = written(
					{ name: "model", text },
					{ name: "file", bytes, filename: `f${filename}`, type: "application/pdf" },
				);
				const form = readForm(body, contentType);
				expect(form.parts.map(({ name }) => name)).toEqual(["model", "file"]);
				expect(formText(form, "model")).toBe(text.isWellFormed() ? text : text.toWellFormed());
				expect(Buffer.compare(formFile(form, "file").bytes, bytes)).toBe(0);
				const read = await new Response(body, { headers: { "content-type": contentType } }).formData();
				expect([...read.keys()]).toEqual(["model", "file"]);
			},
		),
	);
});

test("a name or a type cannot begin another part", () => {
	const { bytes, contentType } = written({
		name: "file",
		bytes: new Uint8Array(1),
		filename: 'a"\r\n\r\nx\r\n--b',
		type: "text/html\r\nx: y",
	});
	const form = readForm(bytes, contentType);
	expect(form.parts).toHaveLength(1);
	expect(form.parts[0]).toMatchObject({ name: "file", type: "application/octet-stream" });
});

test("a file that is missing or comes twice, and a body that is no form, are refused", () => {
	const { bytes, contentType } = written({ name: "a", text: "1" }, { name: "a", text: "2" });
	const form = readForm(bytes, contentType);
	const json = { bytes: new Uint8Array(0), text: "{}", value: {}, members: new Map() };
	for (const work of [
		() => formFile(form, "a"),
		() => formFile(form, "b"),
		() => formOf({ body: { type: "json", json } }),
	]) {
		let thrown: unknown;
		try {
			work();
		} catch (error) {
			thrown = error;
		}
		expect(isFault(thrown) && thrown.denial.code).toBe("invalid_form");
	}
});

test("a file that is sent on has the name that it is given", () => {
	const sent = written({ name: "file", bytes: new Uint8Array([1, 2]), filename: "a.pdf", type: "application/pdf" });
	const file = formFile(readForm(sent.bytes, sent.contentType), "file");
	const { bytes, contentType } = written({ name: "document", ...file, filename: "b.pdf" });
	const form = readForm(bytes, contentType);
	expect(form.parts).toMatchObject([{ name: "document", filename: "b.pdf", type: "application/pdf" }]);
	expect([...formFile(form, "document").bytes]).toEqual([1, 2]);
});

test("a type may have parameters", () => {
	const { bytes, contentType } = written({
		name: "file",
		bytes: new Uint8Array(1),
		filename: "a.txt",
		type: "text/plain; charset=utf-8",
	});
	expect(formFile(readForm(bytes, contentType), "file").type).toBe("text/plain; charset=utf-8");
});
