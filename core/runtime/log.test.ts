/** What is logged arrives whole and in order, wherever standard error leads. */
import { expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { createLog } from "./log.ts";

const turns = 40;
const linesInTurn = 50;
const script = `
	const { createLog } = await import(${JSON.stringify(join(import.meta.dir, "log.ts"))});
	const log = createLog("info", "json");
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

test("through a pipe whose reader begins when the process ends", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-log-"));
	const path = join(folder, "pipe");
	try {
		expect(spawnSync("mkfifo", [path]).status).toBe(0);
		const pipe = openSync(path, "r+");
		const ending = script.replace("process.stdin.resume();", 'process.stdout.write("ends", () => process.exit(0));');
		const child = spawn(execPath, ["-e", ending], { stdio: ["ignore", "pipe", pipe] });
		await new Promise((resolve) => child.stdout?.once("data", resolve));
		const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] });
		closeSync(pipe);
		let text = "";
		reader.stdout.setEncoding("utf8").on("data", (part: string) => {
			text += part;
		});
		await new Promise((resolve) => reader.once("close", resolve));
		expect(numbersIn(text)).toEqual(all);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test.each([
	["a provider's key", "sk-proj-0123456789abcdefghij"],
	["one of Google's", "AIzaSy0123456789abcdefghijklmnop"],
	["a header", "Bearer 0123456789abcdef0123456789abcdef"],
	["Portico's own admin token", "admin-0123456789abcdefghijklmnopqrstuv"],
])("without %s that an error's words hold", (_what, key) => {
	const lines: string[] = [];
	const log = createLog("info", (line) => void lines.push(line)).of("stranger");
	log.error("a policy failed", { policy: "night-watch", error: `Error: asked with ${key} and refused`, status: 401 });
	log.warn(`asked with ${key}`);
	expect(lines.map((line) => JSON.parse(line))).toMatchObject([
		{ policy: "night-watch", error: "Error: asked with [removed] and refused", status: 401 },
		{ msg: "asked with [removed]" },
	]);
	expect(lines.join("")).not.toContain(key.slice(-8));
});
