import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { editJsonBody, readJsonBody } from "./json-body.ts";

const encoder = new TextEncoder();
const long = "word ".repeat(8_000);

/** Everything that can be asked of a body. */
const seen = ({ bytes, text, value, members }: ReturnType<typeof readJsonBody>): unknown =>
	structuredClone({ bytes: new TextDecoder().decode(bytes), text, value: { ...value }, members });

const words = fc.constantFrom("plain", "é", "日本", "😀", '"quoted" \\ \n');
const bodies = fc.record({
	model: words,
	messages: fc.array(fc.record({ role: fc.constant("user"), content: words.map((word) => word + long) }), {
		minLength: 1,
		maxLength: 2,
	}),
	temperature: fc.double({ noNaN: true }),
});
const edits = fc.record({
	model: fc.constantFrom("other", undefined, "x".repeat(50)),
	max_tokens: fc.constantFrom(5, undefined),
});

describe("a body that was let go", () => {
	test("says all that it said before, whatever was sent of it", () => {
		fc.assert(
			fc.property(bodies, edits, fc.boolean(), (content, changes, isSent) => {
				const body = readJsonBody(encoder.encode(JSON.stringify(content)));
				const before = seen(body);
				const sent = editJsonBody(body, changes);
				body.letGo(isSent ? sent : "what was made of it in another protocol");
				expect(seen(body)).toEqual(before);
				expect(editJsonBody(body, changes)).toEqual(sent);
				body.letGo(sent);
				expect(seen(body)).toEqual(before);
			}),
			{ numRuns: 60 },
		);
	});

	test("keeps what is short as it was, and is the same object to whoever knows it", () => {
		const body = readJsonBody(encoder.encode(JSON.stringify({ tools: [{ name: "a" }], input: long })));
		const { value } = body;
		const { tools } = value;
		body.letGo(body.bytes);
		expect(body.value).toBe(value);
		expect(body.value["tools"]).toBe(tools);
		expect(body.value["input"]).toBe(long);
	});

	test("a short one stays as it is", () => {
		const body = readJsonBody(encoder.encode('{"input":["short"]}'));
		const { bytes, text, value } = body;
		const { input } = value;
		body.letGo("sent");
		expect([body.bytes, body.text]).toEqual([bytes, text]);
		expect(body.value["input"]).toBe(input);
	});

	test("a long one in ASCII is sent as a text, which goes on uncopied, any other as its bytes", () => {
		const plain = readJsonBody(encoder.encode(JSON.stringify({ input: long })));
		expect(editJsonBody(plain, {})).toBe(plain.text);
		const other = readJsonBody(encoder.encode(JSON.stringify({ input: `é${long}` })));
		expect(editJsonBody(other, {})).toBe(other.bytes);
	});
});
