import { describe, expect, test } from "bun:test";
import type { AccessToken, Clock } from "#core";
import { expired, expiresAt, readTime } from "./expires-at.ts";

const token: AccessToken = { id: "t1", name: "laptop", settings: {}, compiled: new Map() };
const at = (time: number): Clock => ({ now: () => time, monotonic: () => 0, after: () => () => {} });

describe("the setting expiresAt", () => {
	const setting = expiresAt(at(Date.UTC(2026, 11, 31, 23, 59)));

	test.each([
		["2027-01-01T00:00:00Z", 1_798_761_600_000],
		["2027-01-01T00:00Z", 1_798_761_600_000],
		["2027-01-01T02:00:00+02:00", 1_798_761_600_000],
		["2026-12-31T19:00:00.250-05:00", 1_798_761_600_250],
		["2028-02-29T12:00:00Z", 1_835_438_400_000],
	])("reads %p", (text, time) => expect(setting.compile(text)).toBe(time));

	test.each([
		"2027-01-01",
		"2027-01-01T00:00:00",
		"2027-02-30T00:00:00Z",
		"2027-02-29T00:00:00Z",
		"2027-13-01T00:00:00Z",
		"2027-01-01T24:30:00Z",
		"tomorrow",
		"1798761600",
		"",
		" 2027-01-01T00:00:00Z",
		1798761600,
		null,
		undefined,
	])("refuses %p in words and does not compile it", (value) => {
		expect(setting.refuse?.(value)).toContain("2027-01-01T00:00:00Z");
		expect(() => setting.compile(value)).toThrow(TypeError);
		expect(readTime(value)).toBeUndefined();
	});

	test("says in lists which time is over", () => {
		expect(setting.inWords?.("2027-01-01T00:00:00Z", {})).toBe("2027-01-01T00:00:00Z");
		expect(setting.inWords?.("2026-12-31T23:59:00Z", {})).toBe("2026-12-31T23:59:00Z (over)");
	});

	test.each(["2026-12-31T23:59:00Z", "2027-01-01T00:59:00+01:00", "2020-01-01T00:00:00Z"])(
		"refuses %p, which is over",
		(value) => {
			expect(setting.refuse?.(value)).toStartWith("is in the past, for now it is 2026-12-31T23:59:00.000Z");
			expect(setting.compile(value)).toBe(Date.parse(value));
		},
	);

	test("a good value has no complaint", () => expect(setting.refuse?.("2027-01-01T00:00:00Z")).toBeUndefined());
});

describe("a token", () => {
	const moment = 1_798_761_600_000;
	test("works up to the last millisecond and is refused at the second", () => {
		expect(expired(token, moment, at(moment - 1))).toBeUndefined();
		expect(expired(token, moment, at(moment))).toMatchObject({ kind: "authentication", code: "token_expired" });
		expect(expired(token, moment, at(moment + 86_400_000))?.message).toContain("2027-01-01T00:00:00.000Z");
	});
	test("without the setting never expires", () => expect(expired(token, undefined, at(9e15))).toBeUndefined());
	test("follows the wall clock when it is set back", () => {
		expect(expired(token, moment, at(moment + 1))).toBeDefined();
		expect(expired(token, moment, at(moment - 3_600_000))).toBeUndefined();
	});
});
