import { describe, expect, test } from "bun:test";
import { keyOf } from "./key.ts";

const key = (headers: Record<string, string>, query?: string) => {
	const found = keyOf(new Headers(headers), query === undefined ? undefined : new URLSearchParams(query));
	return typeof found === "string" ? found : found.kind;
};

describe("the key", () => {
	test.each([
		["authorization", "Bearer sk-1"],
		["authorization", "bearer sk-1"],
		["authorization", "BEARER   sk-1 "],
		["authorization", "sk-1"],
		["x-api-key", "sk-1"],
		["x-api-key", "  sk-1 "],
		["x-goog-api-key", "sk-1"],
		["api-key", "sk-1"],
		["mj-api-secret", "sk-1"],
		["mj-api-secret", "Bearer sk-1"],
	])("is found in %s: %p", (name, value) => expect(key({ [name]: value })).toBe("sk-1"));

	test("is found in ?key= where the route takes it, and only there", () => {
		expect(key({}, "key=sk-1&alt=sse")).toBe("sk-1");
		expect(key({})).toBe("authentication");
	});

	test("may come in several carriers when it is the same in all", () => {
		const headers = {
			authorization: "Bearer sk-1",
			"x-api-key": "sk-1",
			"x-goog-api-key": "sk-1",
			"mj-api-secret": "sk-1",
		};
		expect(key(headers, "key=sk-1&key=sk-1")).toBe("sk-1");
	});

	test.each([
		[{ authorization: "Bearer sk-1", "x-api-key": "sk-2" }, undefined],
		[{ authorization: "Bearer sk-1" }, "key=sk-2"],
		[{}, "key=sk-1&key=sk-2"],
		[{ authorization: "Bearer ", "x-api-key": "sk-2" }, undefined],
		[{ "x-api-key": "sk-1", "x-goog-api-key": "" }, undefined],
	] as [Record<string, string>, string | undefined][])("is refused when carriers differ: %p %p", (headers, query) =>
		expect(key(headers, query)).toBe("authentication"),
	);

	test.each([
		[{}],
		[{ authorization: "" }],
		[{ authorization: "Bearer" }],
		[{ authorization: "Bearer " }],
		[{ authorization: "Basic dXNlcjpwdw==" }],
		[{ authorization: "Bearer one two" }],
		[{ authorization: "Digest username=x" }],
		[{ "x-api-key": "" }],
		[{ cookie: "key=sk-1" }],
		[{ "x-key": "sk-1" }],
	] as [Record<string, string>][])("is not there in %p", (headers) =>
		expect(key(headers, "other=sk-1")).toBe("authentication"),
	);

	test("of two authorization headers, joined as the wire joins them, is none", () => {
		const headers = new Headers();
		headers.append("authorization", "Bearer sk-1");
		headers.append("authorization", "Bearer sk-2");
		expect(keyOf(headers, undefined)).toMatchObject({ kind: "authentication" });
	});
});
