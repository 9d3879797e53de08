import { expect, test } from "bun:test";
import { namedInside } from "./named-inside.ts";

test("the texts of a request are gone through once, however many of them look like addresses within", () => {
	const documents = Array.from({ length: 300 }, (_, index) => `http://host${index}`);
	let looks = 0;
	const texts = new Proxy(documents, {
		get(target, name, receiver) {
			if (typeof name === "string" && /^\d+$/.test(name)) looks++;
			return Reflect.get(target, name, receiver);
		},
	});
	expect(namedInside({ documents }, texts)).toBeUndefined();
	expect(namedInside({ documents: [...documents, "http://another"] }, documents)).toEqual({
		at: "documents[300]",
		field: "documents",
	});
	expect(looks).toBeLessThanOrEqual(documents.length);
});
