import { expect, test } from "bun:test";
import { asTime, writtenTime } from "./times.ts";

test("a time stands in the form as one writes it, and is the same again when it is saved", () => {
	expect(writtenTime("2030-01-31T12:00:00.000Z")).toMatch(/^2030-0[12]-\d\d \d\d:\d\d$/);
	for (const time of ["2030-01-31T12:00:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"])
		expect(asTime(writtenTime(time))).toBe(time);
	// To the minute would be earlier.
	expect(writtenTime("2030-01-31T12:00:07.000Z")).toBe("2030-01-31T12:00:07.000Z");
	expect(writtenTime("soon")).toBe("soon");
});

test("a day that no month has stays as it is written, for the server to refuse", () => {
	for (const words of ["2027-11-31", "2027-02-30 12:00", "2027-02-29T12:00"]) expect(asTime(words)).toBe(words);
});
