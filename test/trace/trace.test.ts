/** How many functions and files a warm call enters: what is fast by shape, and what a reader can follow with a finger. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Trace } from "./instrument.ts";

const child = Bun.spawnSync(
	[process.execPath, "--preload", join(import.meta.dir, "instrument.ts"), join(import.meta.dir, "calls.ts")],
	{ stdout: "pipe", stderr: "inherit" },
);
const traces = JSON.parse(child.stdout.toString().trim().split("\n").at(-1) ?? "{}") as Record<string, Trace>;

const figures = (kind: string) => {
	const files = (traces[kind] ?? []).map((entry) => entry.slice(0, entry.indexOf(" ")));
	const changes = files.filter((file, index) => index > 0 && file !== files[index - 1]).length;
	return { entries: files.length, files: new Set(files).size, changes };
};

/** The most that each may enter. Lower them when a call gets shorter; `docs/architecture.md` tells the numbers. */
const most = {
	passthrough: { entries: 345, files: 90 },
	translated: { entries: 510, files: 120 },
	task: { entries: 286, files: 65 },
};

for (const [kind, limit] of Object.entries(most))
	test(`one warm ${kind} call enters at most ${limit.entries} functions in ${limit.files} files`, () => {
		const { entries, files, changes } = figures(kind);
		console.log(`${kind}: ${entries} functions in ${files} files, ${changes} changes of file`);
		if (process.env["PORTICO_TRACE"]) for (const entry of traces[kind] ?? []) console.log(`  ${entry}`);
		expect(entries).toBeGreaterThan(20);
		expect(entries).toBeLessThanOrEqual(limit.entries);
		expect(files).toBeLessThanOrEqual(limit.files);
	});
