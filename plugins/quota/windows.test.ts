/** Windows of the calendar: by hand where the calendar is odd, by their laws everywhere else. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isZone, type Period, periods, windowAt, windowFinder } from "./windows.ts";

const iso = (at: number, period: Period, zone = "UTC"): readonly [string, string] => {
	const { start, end } = windowAt(at, period, zone);
	return [new Date(start).toISOString(), new Date(end).toISOString()];
};
const at = (text: string): number => Date.parse(text);

describe("the calendar", () => {
	const cases: readonly (readonly [now: string, period: Period, zone: string, start: string, end: string])[] = [
		["2028-02-29T12:00:00Z", "day", "UTC", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
		["2028-02-29T12:00:00Z", "month", "UTC", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
		["2027-02-28T23:59:59.999Z", "month", "UTC", "2027-02-01T00:00:00.000Z", "2027-03-01T00:00:00.000Z"],
		["2026-12-31T23:59:59.999Z", "month", "UTC", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
		// 22 November 2026 is a Sunday: its week began on Monday the 16th.
		["2026-11-22T12:00:00Z", "week", "UTC", "2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
		["2026-11-23T00:00:00Z", "week", "UTC", "2026-11-23T00:00:00.000Z", "2026-11-30T00:00:00.000Z"],
		["1969-12-31T12:00:00Z", "week", "UTC", "1969-12-29T00:00:00.000Z", "1970-01-05T00:00:00.000Z"],
		// Clocks go forward: a day of 23 hours; and back: one of 25.
		["2026-03-29T12:00:00Z", "day", "Europe/Berlin", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
		["2026-10-25T12:00:00Z", "day", "Europe/Berlin", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
		["2026-03-10T12:00:00Z", "month", "America/New_York", "2026-03-01T05:00:00.000Z", "2026-04-01T04:00:00.000Z"],
		// A day without a midnight: clocks in Brazil went from 23:59 to 1:00.
		["2018-11-04T12:00:00Z", "day", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", "2018-11-05T02:00:00.000Z"],
		// And one in which the last hour came twice: 24:00 was 23:00 again.
		["2018-02-17T12:00:00Z", "day", "America/Sao_Paulo", "2018-02-17T02:00:00.000Z", "2018-02-18T03:00:00.000Z"],
		// Samoa went over the date line: there was no 30 December 2011.
		["2011-12-30T09:00:00Z", "day", "Pacific/Apia", "2011-12-29T10:00:00.000Z", "2011-12-30T10:00:00.000Z"],
		["2011-12-30T10:00:00Z", "day", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "2011-12-31T10:00:00.000Z"],
		["2026-11-22T18:30:00Z", "day", "Asia/Kolkata", "2026-11-22T18:30:00.000Z", "2026-11-23T18:30:00.000Z"],
	];
	test.each(cases)("%s: its %s in %s", (now, period, zone, start, end) => {
		expect(iso(at(now), period, zone)).toEqual([start, end]);
	});

	test("zones are those of the calendar of the world", () => {
		expect(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires"].map(isZone)).toEqual([true, true, true]);
		expect(["", "Mars/Olympus", "Europe", "../etc", "x".repeat(80)].map(isZone)).toEqual(Array(5).fill(false));
	});

	test("a zone is remembered once, in however many ways somebody writes it", () => {
		const asked: string[] = [];
		const made = Intl.DateTimeFormat;
		const watched = new Proxy(made, {
			construct(target, [locale, options]: [string, Intl.DateTimeFormatOptions]) {
				asked.push(options.timeZone ?? "");
				return new target(locale, options);
			},
		});
		Intl.DateTimeFormat = watched;
		try {
			const ways = ["Asia/Kathmandu", "asia/kathmandu", "ASIA/Kathmandu", "aSIA/kATHMANDU"];
			expect(ways.map(isZone)).toEqual(Array(4).fill(true));
			expect(new Set(ways.map((zone) => windowFinder("day", zone))).size).toBe(1);
		} finally {
			Intl.DateTimeFormat = made;
		}
		expect(asked).toEqual(["Asia/Kathmandu"]);
	});
});

const zones = [
	"UTC",
	"Europe/Berlin",
	"America/New_York",
	"America/Sao_Paulo",
	"Asia/Kolkata",
	"Pacific/Apia",
	"Africa/Cairo",
	"Australia/Lord_Howe",
];
const instant = fc.integer({ min: at("2000-01-01T00:00:00Z"), max: at("2040-01-01T00:00:00Z") });
const anyWindow = { instant, period: fc.constantFrom(...periods), zone: fc.constantFrom(...zones) };

describe("laws", () => {
	test("an instant lies in its window, every instant of it has the same, and the next begins where it ends", () => {
		fc.assert(
			fc.property(
				fc.record(anyWindow),
				fc.double({ min: 0, max: 1, noNaN: true }),
				({ instant: now, period, zone }, part) => {
					const window = windowAt(now, period, zone);
					expect(window.start).toBeLessThanOrEqual(now);
					expect(window.end).toBeGreaterThan(now);
					const other = window.start + Math.floor((window.end - 1 - window.start) * part);
					expect(windowAt(other, period, zone)).toEqual(window);
					expect(windowAt(window.end, period, zone).start).toBe(window.end);
					expect(windowAt(window.start - 1, period, zone).end).toBe(window.start);
				},
			),
			{ numRuns: 150 },
		);
	});

	test("days make up weeks and months without a gap", () => {
		fc.assert(
			fc.property(fc.record(anyWindow), ({ instant: now, period, zone }) => {
				const { start, end } = windowAt(now, period, zone);
				let day = windowAt(start, "day", zone);
				expect(day.start).toBe(start);
				while (day.end < end) day = windowAt(day.end, "day", zone);
				expect(day.end).toBe(end);
			}),
			{ numRuns: 15 },
		);
	});

	test("what is remembered is what would be computed, whichever way the clock goes", () => {
		fc.assert(
			fc.property(fc.array(instant, { maxLength: 8 }), fc.constantFrom(...zones), (instants, zone) => {
				const find = windowFinder("week", zone);
				for (const now of instants) expect(find(now)).toEqual(windowAt(now, "week", zone));
			}),
			{ numRuns: 50 },
		);
	});
});
