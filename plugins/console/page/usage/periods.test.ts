/** The steps of a period as the page says them, and as it asks for the calls within one. */
import { expect, test } from "bun:test";
import { toMinute } from "../data/format.ts";
import { stepLabel, stepName, stepOf, stepTimes } from "./periods.ts";

test("an hour is said in the browser's zone, wherever it is said", () => {
	const step = stepOf("2020-01-31T15:00:00Z", "hour");
	const at = new Date(Date.UTC(2020, 0, 31, 15));
	expect(stepName(step)).toBe(toMinute(at.getTime()));
	expect(stepName(step)).toContain(`${String(at.getHours()).padStart(2, "0")}:`);
	expect(stepName(step)).toContain("2020");
	expect(stepLabel(step)).toBe(String(at.getHours()));
	expect(stepTimes(step)).toEqual({ from: "2020-01-31T15:00:00.000Z", to: "2020-01-31T16:00:00.000Z" });
});

test("a day is one of UTC", () => {
	expect(stepName("2020-01-31")).toBe("31 January");
	expect(stepTimes("2020-01-31")).toEqual({ from: "2020-01-31T00:00:00.000Z", to: "2020-02-01T00:00:00.000Z" });
});
