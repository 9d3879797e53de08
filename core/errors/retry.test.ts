import { describe, expect, test } from "bun:test";
import { deny } from "../contract/fault.ts";
import { retryAfterIn, retryHeaders, waitSaidIn, withoutRetryWords } from "./retry.ts";

describe("the wait that an upstream asks for", () => {
	test.each<[Record<string, string>, number | undefined]>([
		[{ "retry-after": "7" }, 7],
		[{ "retry-after": "0" }, 0],
		[{ "retry-after": "7", "retry-after-ms": "250" }, 0.25],
		[{ "retry-after": "Fri, 01 Jan 2027 00:01:30 GMT", date: "Fri, 01 Jan 2027 00:00:00 GMT" }, 90],
		[{ "retry-after": "Fri, 01 Jan 2027 00:00:00 GMT", date: "Fri, 01 Jan 2027 00:01:00 GMT" }, undefined],
		[{ "retry-after": "Fri, 01 Jan 2027 00:00:00 GMT" }, undefined],
		[{ "retry-after": "-1" }, undefined],
		[{ "retry-after": "soon" }, undefined],
		[{ "retry-after": "" }, undefined],
		[{}, undefined],
	])("%p is %p seconds", (headers, seconds) => {
		expect(retryAfterIn(new Headers(headers))).toBe(seconds);
	});

	test.each([
		["Rate limit reached. Please try again in 1.5s.", 1.5],
		["Please try again in 20ms.", 0.02],
		["Please try again later.", undefined],
	])("%p says %p seconds", (message, seconds) => {
		expect(waitSaidIn(message)).toBe(seconds);
	});
});

describe("what clients are told", () => {
	test.each([
		[deny("overloaded", "", { retryAfterSeconds: 0.2 }), { "retry-after": "1", "retry-after-ms": "200" }],
		[deny("rate_limited", "", { retryAfterSeconds: 86_400 }), { "retry-after": "60", "retry-after-ms": "60000" }],
		[deny("quota_held", ""), { "retry-after": "1", "retry-after-ms": "1000" }],
		[deny("internal", ""), {}],
		[deny("rate_limited", "", { retryAfterSeconds: Number.NaN }), {}],
	])("of %p, which may pass", (denial, headers) => {
		expect(retryHeaders(denial, true)).toEqual(headers);
	});

	test("not to ask again where nothing changes by itself", () => {
		expect(retryHeaders(deny("quota_exhausted", "", { retryAfterSeconds: 5 }), false)).toEqual({
			"x-should-retry": "false",
		});
	});

	test("nothing that sounds as if it passed", () => {
		expect(withoutRetryWords("Quota EXHAUSTED, overloaded and unavailable")).toBe(
			"Quota used up, busy and not available",
		);
	});
});
