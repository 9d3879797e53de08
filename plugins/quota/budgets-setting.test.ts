/** Budgets as people write them, and what of a boost counts when. */
import { describe, expect, test } from "bun:test";
import type { Accounts } from "./accounts.ts";
import { limitIn } from "./budgets.ts";
import { budgetsSetting } from "./budgets-setting.ts";

const setting = budgetsSetting({
	get accounts(): Accounts {
		throw new Error("nothing is asked of accounts here");
	},
	now: () => 0,
});

describe("words of the command line", () => {
	test("are read as budgets", () => {
		expect(setting.fromWords?.("5/day, $100.50/month@Europe/Berlin")).toEqual([
			{ amount: 5, per: "day" },
			{ amount: 100.5, per: "month", zone: "Europe/Berlin" },
		]);
		expect(setting.fromWords?.('[{"amount":1,"per":"week"}]')).toEqual([{ amount: 1, per: "week" }]);
	});
	test.each(["5", "day/5", "5/day;6/week", "", "[{"])("%p is none", (words) => {
		expect(() => setting.fromWords?.(words)).toThrow();
	});
});

test("a table shows each budget with what is left of it", () => {
	const value = [
		{ amount: 5, per: "day" },
		{ amount: 100, per: "month", zone: "Europe/Berlin" },
	];
	const budgets = [
		{ per: "month", zone: "Europe/Berlin", remaining: 60.5 },
		{ per: "day", zone: "UTC", remaining: 4.1 },
	];
	expect(setting.inWords?.(value, { budgets })).toBe("$5.00/day: $4.10 left, $100.00/month@Europe/Berlin: $60.50 left");
	expect(setting.inWords?.(value, {})).toBe("$5.00/day, $100.00/month@Europe/Berlin");
});

test("a boost ends on a day that there is", () => {
	for (const until of ["2026-11-31", "Dec 1", "2026-12-01T00:00"])
		expect(setting.refuse?.([{ amount: 1, per: "day", boost: { amount: 0.5, until } }])).toContain(
			"2026-12-01T00:00:00Z",
		);
});

test("a boost counts in windows that begin before it ends", () => {
	const [budget] = setting.compile([
		{ amount: 1, per: "day", boost: { amount: 0.5, until: "2026-11-23T00:00:00Z" } },
	]).list;
	if (!budget) throw new Error("no budget was compiled");
	const limitAt = (at: string): number => limitIn(budget, budget.windowAt(Date.parse(at)));
	expect([limitAt("2026-11-22T23:59:59Z"), limitAt("2026-11-23T00:00:00Z")]).toEqual([1_500_000, 1_000_000]);
});
