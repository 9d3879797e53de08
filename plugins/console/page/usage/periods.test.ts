/** The steps of a period as the page says them, and as it asks for the calls within one. */
import { afterEach, describe, expect, test } from "bun:test";
import { env } from "node:process";
import { toMinute } from "../data/format.ts";
import { browserZone, periods, spanBefore, stepLabels, stepName, stepOf, steps, stepTimes } from "./periods.ts";

const own = env["TZ"];
const inZone = (zone: string): void => {
	env["TZ"] = zone;
	expect(browserZone()).toBe(zone);
};
afterEach(() => {
	env["TZ"] = own ?? "UTC";
});

const [, week, month] = periods;
if (!week || !month) throw new Error("there are no such periods");

const instant = (at: number): string => new Date(at).toISOString();

test("an hour is said in the browser's zone, wherever it is said", () => {
	const step = stepOf("2020-01-31T15:00:00Z", "hour");
	const at = new Date(Date.UTC(2020, 0, 31, 15));
	expect(stepName(step)).toBe(toMinute(at.getTime()));
	expect(stepName(step)).toContain(`${String(at.getHours()).padStart(2, "0")}:`);
	expect(stepName(step)).toContain("2020");
	expect(stepLabels([step])).toEqual([String(at.getHours())]);
	expect(stepTimes(step)).toEqual({ from: "2020-01-31T15:00:00.000Z", to: "2020-01-31T16:00:00.000Z" });
});

describe("a day is one of the browser's zone", () => {
	test("ahead of UTC", () => {
		inZone("Asia/Shanghai");
		expect(stepName("2020-01-31")).toBe("31 January");
		expect(stepLabels(["2020-01-31"])).toEqual(["31"]);
		expect(stepTimes("2020-01-31")).toEqual({ from: "2020-01-30T16:00:00.000Z", to: "2020-01-31T16:00:00.000Z" });
		const now = Date.parse("2020-01-31T16:30:00Z");
		expect(steps(month, now)).toEqual(["2020-02-01"]);
		expect(instant(month.from(now))).toBe("2020-01-31T16:00:00.000Z");
	});

	test("that says its month where there are days of several", () => {
		inZone("UTC");
		const [now, quarter] = [Date.parse("2027-05-03T12:00:00Z"), periods.at(-1)];
		const labels = quarter ? stepLabels(steps(quarter, now)) : [];
		expect([labels.length, labels[0], labels.at(-1)]).toEqual([90, "3 Feb", "3 May"]);
	});

	test("of as many before, whatever clocks did meanwhile", () => {
		inZone("America/Los_Angeles");
		const now = Date.parse("2027-03-16T06:00:00Z");
		expect(spanBefore(week, now).map(instant)).toEqual(["2027-03-02T08:00:00.000Z", "2027-03-09T08:00:00.000Z"]);
		const [from, to] = spanBefore(month, now).map(instant);
		expect([from, to]).toEqual(["2027-02-14T08:00:00.000Z", "2027-03-01T08:00:00.000Z"]);
	});

	test("of 23 hours where clocks go forward", () => {
		inZone("America/Los_Angeles");
		expect(stepTimes("2027-03-14")).toEqual({ from: "2027-03-14T08:00:00.000Z", to: "2027-03-15T07:00:00.000Z" });
		const now = Date.parse("2027-03-16T06:00:00Z");
		expect(steps(week, now)).toEqual(
			[9, 10, 11, 12, 13, 14, 15].map((day) => `2027-03-${String(day).padStart(2, "0")}`),
		);
		expect(instant(week.from(now))).toBe("2027-03-09T08:00:00.000Z");
	});

	test("from the first whole hour of UTC", () => {
		inZone("Asia/Kolkata");
		expect(stepTimes("2027-05-02")).toEqual({ from: "2027-05-01T19:00:00.000Z", to: "2027-05-02T19:00:00.000Z" });
		// A quarter past midnight there is still of the day before.
		expect(steps(week, Date.parse("2027-05-01T18:45:00Z")).at(-1)).toBe("2027-05-01");
		expect(steps(week, Date.parse("2027-05-01T19:00:00Z")).at(-1)).toBe("2027-05-02");
	});
});
