/** What is logged arrives whole and in order, wherever standard error leads. */
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";

const turns = 40;
const linesInTurn = 50;
const script = `
	const { createLog } = await import(${JSON.stringify(join(import.meta.dir, "log.ts"))});
	const log = createLog("info", undefined, "json");
	for (let turn = 0; turn < ${turns}; turn++) {
		for (let line = 0; line < ${linesInTurn}; line++) {
			const number = turn * ${linesInTurn} + line;
			log.info("a line", { number, text: "é€😀".repeat(number % 60) });
		}
		await new Promise((resolve) => setImmediate(resolve));
	}
	process.stdin.resume();
`;

const numbersIn = (text: string): unknown[] =>
	text
		.trimEnd()
		.split("\n")
		.map((line) => {
			const { number, text: words } = JSON.parse(line);
			expect(words).toBe("é€😀".repeat(number % 60));
			return number;
		});

const all = Array.from({ length: turns * linesInTurn }, (_, number) => number);

/** A child that logs and then lasts until it is told to end. */
const logging = (stderr: "pipe" | number) => {
	const child = spawn(execPath, ["-e", script], { stdio: ["pipe", "ignore", stderr] });
	const ended = new Promise((resolve) => child.once("close", resolve));
	return { child, ended };
};

test("in a file, beside what another wrote there", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-log-"));
	const path = join(folder, "log");
	const file = openSync(path, "a");
	try {
		const children = [logging(file), logging(file)];
		for (const { child } of children) child.stdin?.end();
		for (const { ended } of children) expect(await ended).toBe(0);
		const numbers = numbersIn(readFileSync(path, "utf8"));
		expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(all.flatMap((number) => [number, number]));
	} finally {
		closeSync(file);
		rmSync(folder, { recursive: true, force: true });
	}
});

test("through a pipe whose reader is behind", async () => {
	const { child, ended } = logging("pipe");
	let text = "";
	let lines = 0;
	child.stderr?.setEncoding("utf8").on("data", (part: string) => {
		text += part;
		lines += part.split("\n").length - 1;
		if (lines === all.length) child.stdin?.end();
	});
	expect(await ended).toBe(0);
	expect(numbersIn(text)).toEqual(all);
});
