/** How many functions and files a warm call enters: what is fast by shape, and what a reader can follow with a finger. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Traced } from "./calls.ts";
import type { Trace } from "./instrument.ts";

const tracesWith = async (...plugins: readonly string[]): Promise<Readonly<Record<string, Traced>>> => {
	const [preload, calls] = ["instrument.ts", "calls.ts"].map((file) => join(import.meta.dir, file));
	const words = [process.execPath, "--preload", preload ?? "", calls ?? "", ...plugins];
	const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit" });
	const printed = await new Response(child.stdout).text();
	return JSON.parse(printed.trim().split("\n").at(-1) ?? "{}") as Record<string, Traced>;
};

const [traces, withConsole] = await Promise.all([tracesWith(), tracesWith("people", "console")]);

const figures = (trace: Trace = []) => {
	const files = trace.map((entry) => entry.slice(0, entry.indexOf(" ")));
	const changes = files.filter((file, index) => index > 0 && file !== files[index - 1]).length;
	return { entries: files.length, files: new Set(files).size, changes };
};

/**
 * The most that each may enter. Lower them when a call gets shorter; `docs/architecture.md` tells the numbers. Six more than
 * those: a call that comes a while after the last one winds up the timers that ran out (`schedule` and `afterExactly` of what
 * is written behind, `newlyDue` of the clock, `watch`, `look` and `limitTime` of the calls), and on a slow machine each does.
 */
const most = {
	passthrough: { entries: 280, files: 84 },
	translated: { entries: 458, files: 115 },
	task: { entries: 224, files: 64 },
};

for (const [kind, limit] of Object.entries(most))
	test(`one warm ${kind} call enters at most ${limit.entries} functions in ${limit.files} files`, () => {
		const { entries, files, changes } = figures(traces[kind]?.shortest);
		console.log(`${kind}: ${entries} functions in ${files} files, ${changes} changes of file`);
		if (process.env["PORTICO_TRACE"]) for (const entry of traces[kind]?.shortest ?? []) console.log(`  ${entry}`);
		expect(entries).toBeGreaterThan(20);
		expect(entries).toBeLessThanOrEqual(limit.entries);
		expect(files).toBeLessThanOrEqual(limit.files);
	});

test.each(Object.keys(most))("nothing is entered for people and the console on the way of a %s call", (kind) => {
	const entered = withConsole[kind]?.shortest ?? [];
	expect(entered.length).toBeGreaterThan(20);
	expect(entered.filter((entry) => /plugins\/(?:people|console)\//.test(entry))).toEqual([]);
	// A trace may have an entry by chance that another has not: what is of the call stands in one of many without them.
	const without = new Set(traces[kind]?.all);
	expect(entered.filter((entry) => !without.has(entry))).toEqual([]);
});
