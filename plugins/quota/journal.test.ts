import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootId, fileJournals, type Journal, type Journals, sameBoot } from "./journal.ts";
import { leftWork } from "./journal-lines.ts";

let folder: string;
let journals: Journals;
const failures: unknown[] = [];
const begin = (process: string): Journal => {
	const journal = journals.begin(process, (error) => failures.push(error));
	journal.restart(["journal\t1\tboot"]);
	return journal;
};
const text = (): string =>
	readdirSync(folder)
		.map((file) => readFileSync(join(folder, file), "utf8"))
		.join("");

beforeEach(() => {
	folder = join(mkdtempSync(join(tmpdir(), "portico-journal-")), "quota");
	journals = fileJournals(folder);
	failures.length = 0;
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

describe("a journal", () => {
	test("has a line on the disk as soon as it is written", () => {
		begin("a").now("hold\tone");
		expect(text()).toBe("journal\t1\tboot\nhold\tone\n");
	});

	test("writes what is not urgent at the end of the turn, or before the next urgent line", async () => {
		const journal = begin("a");
		journal.soon("charge\tone");
		expect(text()).not.toContain("charge");
		await new Promise((resolve) => setImmediate(resolve));
		expect(text()).toContain("charge\tone\n");
		journal.soon("charge\ttwo");
		journal.now("hold\tthree");
		expect(text()).toEndWith("charge\tone\ncharge\ttwo\nhold\tthree\n");
	});

	test("tells those who wait for the end of the turn that their lines are on the disk", async () => {
		const journal = begin("a");
		for (const line of ["hold\tone", "hold\ttwo"]) journal.soon(line);
		const both = Promise.all([journal.kept(), journal.kept()]);
		expect(text()).not.toContain("hold");
		await both;
		expect(text()).toEndWith("hold\tone\nhold\ttwo\n");
	});

	test("tells those who wait that nothing could be written", async () => {
		const journal = begin("a");
		journal.close(false);
		journal.soon("hold\tone");
		await expect(journal.kept()).rejects.toThrow("not open");
	});

	test("begins anew with what still matters, and leaves nothing else behind", () => {
		const journal = begin("a");
		journal.now("hold\tone");
		journal.restart(["journal\t1\tboot", "hold\ttwo"]);
		journal.now("hold\tthree");
		expect(readdirSync(folder)).toHaveLength(1);
		expect(text()).toBe("journal\t1\tboot\nhold\ttwo\nhold\tthree\n");
	});

	test("is found by the next process, torn last line left out", () => {
		begin("a").now("hold\tone");
		appendFileSync(join(folder, readdirSync(folder)[0] ?? ""), "charge\tone\tle");
		const left = journals.left();
		expect(left.map(({ process }) => process)).toEqual(["a"]);
		expect(left[0]?.records()).toEqual([
			["journal", "1", "boot"],
			["hold", "one"],
		]);
		left[0]?.remove();
		expect(journals.left()).toEqual([]);
	});

	test("that is put aside stays on the disk, and no start finds it", () => {
		begin("a").now("hold\tone");
		const [left] = journals.left();
		expect(left?.keep()).toBe(`${left?.path}.damaged`);
		expect(journals.left()).toEqual([]);
		expect(text()).toContain("hold\tone");
	});

	test("whose beginning anew was interrupted counts as the newer one", () => {
		begin("a");
		writeFileSync(join(folder, "a-7.journal"), "journal\t1\tboot\nhold\tnewer\n");
		writeFileSync(join(folder, "a-8.journal.part"), "journal");
		expect(journals.left()[0]?.records().at(-1)).toEqual(["hold", "newer"]);
		expect(readdirSync(folder).sort()).toEqual(["a-7.journal", "a-8.journal.part"]);
	});

	test("keeps of a write that failed the whole lines, once, and goes on behind them", () => {
		const program = `
			import { fileJournals } from ${JSON.stringify(join(import.meta.dir, "journal.ts"))};
			const failed = (error) => console.log(error.code);
			const journal = fileJournals(${JSON.stringify(folder)}).begin("a", failed);
			journal.restart(["journal\\t1\\tb\u00f6\u00f6t"]);
			journal.soon("charge\\t\u00f6ne");
			for (const write of [() => journal.now("hold\\t" + "x".repeat(10_000)), () => journal.now("hold\\ttwo")])
				try {
					write();
				} catch (error) {
					failed(error);
				}
		`;
		// No file of this process takes more than a few KB: of the long line a part fits.
		const shell = ["-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" -e "$1"', process.execPath, program];
		const { stdout, stderr } = spawnSync("sh", shell, { encoding: "utf8" });
		expect({ stdout, stderr }).toEqual({ stdout: "EFBIG\n", stderr: "" });
		expect(text()).toBe("journal\t1\tb\u00f6\u00f6t\ncharge\t\u00f6ne\nhold\ttwo\n");
	});

	test("is gone after a close in order, and stays after one that is not", () => {
		begin("a").close(true);
		expect(readdirSync(folder)).toEqual([]);
		const journal = begin("b");
		journal.soon("charge\tone");
		journal.close(false);
		expect(text()).toEndWith("charge\tone\n");
		expect(() => journal.now("hold\ttwo")).toThrow();
	});
});

test("a folder that was moved away is not made anew, and keeps no process from its end", () => {
	const journal = begin("a");
	const away = `${folder}.away`;
	renameSync(folder, away);
	expect(() => journal.restart(["journal\t1\tboot"])).toThrow("ENOENT");
	journal.now("hold\tone");
	expect(existsSync(folder)).toBe(false);
	journal.close(true);
	renameSync(away, folder);
	expect(text()).toEndWith("hold\tone\n");
});

describe("what a journal says was left undone", () => {
	const read = (...lines: string[]) => leftWork(["journal\t1\tboot", ...lines].map((line) => line.split("\t")));

	test("running calls by what they held, or by their last mark; settled ones by their charge", () => {
		const work = read(
			"lease\tl\ttok\tslice\t100",
			'hold\ta\tl\t50\t7\t"m\\t1"',
			'hold\tb\tl\t60\t8\t"m"',
			'hold\tc\tl\t70\t9\t"m"',
			"mark\tb\t20",
			"mark\tb\t25",
			"charge\tc\tl\t33",
			'row\tl\t{"id":"c","cost":33,"ok":true}',
		);
		const lease = work?.leases.get("l");
		expect(lease).toMatchObject({
			account: "tok",
			kind: "slice",
			settled: 133,
			rows: [{ id: "c", cost: 33, ok: true }],
		});
		expect([...(lease?.running.values() ?? [])]).toEqual([
			{ id: "a", model: "m\t1", at: 7, amount: 50 },
			{ id: "b", model: "m", at: 8, amount: 25 },
		]);
	});

	test("a charge written twice counts once, a closed lease not at all", () => {
		const work = read(
			"lease\tl\ttok\tslice\t0",
			'hold\ta\tl\t9\t1\t"m"',
			"charge\ta\tl\t5",
			"charge\ta\tl\t5",
			"lease\tk\ttok\tslice\t0",
			"closed\tk",
		);
		expect(work?.leases.get("l")?.settled).toBe(5);
		expect(work?.leases.has("k")).toBe(false);
	});

	test("a hold and its charge that a torn write wrote twice count once", () => {
		const lines = ['hold\ta\tl\t9\t1\t"m"', "charge\ta\tl\t0", 'hold\ta\tl\t9\t2\t"m"', "charge\ta\tl\t5"];
		for (let torn = 0; torn <= lines.length; torn++) {
			const work = read("lease\tl\ttok\tslice\t0", ...lines.slice(0, torn), "ho", ...lines);
			expect(work?.leases.get("l")).toMatchObject({ settled: 5, running: new Map() });
		}
	});

	test("a call that gave back what it held and holds again runs", () => {
		const given = ["lease\tl\ttok\tslice\t0", 'hold\ta\tl\t9\t1\t"m"', "charge\ta\tl\t0"];
		const running = read(...given, 'hold\ta\tl\t7\t2\t"m"')?.leases.get("l");
		expect([...(running?.running.values() ?? [])]).toEqual([{ id: "a", model: "m", at: 2, amount: 7 }]);
		expect(running?.rowless).toEqual(new Map());
		const over = read(...given)?.leases.get("l");
		expect([over?.running.size, [...(over?.rowless.keys() ?? [])]]).toEqual([0, ["a"]]);
	});

	test("lines that make no sense tell nothing", () => {
		const work = read(
			"lease\tl\ttok\tslice\t0",
			'hold\ta\tl\t-5\t1\t"m"',
			'hold\ta\tl\tx\t1\t"m"',
			"hold\ta",
			"charge\ta\tnowhere\t5",
			"row\t-\t[1]",
			'row\t-\t{"a":{}}',
			"",
			"nonsense\t1",
		);
		expect(work?.leases.get("l")).toMatchObject({ settled: 0, running: new Map(), rows: [] });
		expect(work?.loose).toEqual([]);
		expect(work?.damaged).toEqual([3, 4, 5, 7, 8, 10]);
	});

	test("a journal of another version is not guessed at", () => {
		expect(leftWork([["journal", "2", "boot"]])).toBeUndefined();
		expect(leftWork([])).toBeUndefined();
	});
});

describe("the boot of a machine", () => {
	test("is the same as long as it runs", () => expect(sameBoot(bootId(), bootId())).toBe(true));
	test.each([
		["a1b2", "a1b2", true],
		["a1b2", "a1b3", false],
		["at 1000000", "at 1000119", true],
		["at 1000000", "at 1000121", false],
		["at 1000000", "a1b2", false],
		["", "a1b2", false],
	])("%p and %p: %p", (one, other, same) => expect(sameBoot(one, other)).toBe(same));
});
