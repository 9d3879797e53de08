// The suite, in three rows side by side, for much of a test is waiting: attacks and calls through the gateway; the tests that
// stand beside the code; style and walls, types, the shipped config and its schema, the runtime tests on Deno, and the rest of
// `test/`. What another row than the first prints is shown at its end. With `--long` what takes longer instead, in two rows: files that end in `.long.ts`; the schedule
// of callbacks in real time, the packed package, a minute of chaos and the rest of these files. Then the bench in its short
// form, by itself. Every step runs even when one before it failed; the exit code says whether all were good.
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules", ".bin", name);
const portico = join(root, "bin", "portico.mjs");

/** A busy machine is slow, not wrong: five seconds, the default, is too little for the longest property tests there. */
const test = [portico, "bun", "test", "--timeout", "60000"];

/** Folders whose long tests run in the second row, so that the two take about as long. */
const longInSecondRow = ["plugins", "test/fuzz", "test/gateway"];

/** Files that end in `.long.ts`, by path: those of one row. */
const longFiles = (second) =>
	["core", "plugins", "test"]
		.flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
				.filter((file) => file.endsWith(".long.ts"))
				.map((file) => `./${join(folder, file)}`),
		)
		.filter((file) => !apart.some((one) => file.endsWith(one)))
		.filter((file) => longInSecondRow.some((folder) => file.startsWith(`./${folder}/`)) === second)
		.sort();

/** What is no part of either suite (kill tests of several minutes), or is a step of its own below. */
const apart = [
	"test/slow/schedule.long.ts",
	"test/slow/killed.long.ts",
	"test/slow/package.long.ts",
	"test/slow/package-rooms.long.ts",
	"test/slow/package-roots.long.ts",
	"test/slow/package-plugins.long.ts",
	"test/slow/manifests.long.ts",
	"test/slow/image.long.ts",
	"test/attacks/unread-streams.long.ts",
];

/** Folders of `test/` that are a row of their own; the others run in the third, so that all take about as long. */
const inFirstRow = ["attacks", "gateway"];

const inThirdRow = readdirSync(join(root, "test"), { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && !inFirstRow.includes(entry.name))
	.map(({ name }) => name);

/** As paths: by a name alone `bun test` would also run files elsewhere that have it in their path. */
const pathsOf = (folders) => folders.map((folder) => `./test/${folder}/`);

/** Rows of steps: the rows run side by side, the steps of a row one after the other. */
const quick = [
	[["attacks, and calls through the gateway", process.execPath, [...test, ...pathsOf(inFirstRow)]]],
	[["tests beside the code", process.execPath, [...test, "./core", "./plugins"]]],
	[
		["style and walls", bin("biome"), ["ci", "."]],
		["types", bin("tsc"), ["-p", "."]],
		["the shipped config is good", process.execPath, [portico, "check", "--config", "config/portico.yaml"]],
		["its schema is fresh", process.execPath, [portico, "schema", "--check", "--config", "config/portico.yaml"]],
		["runtime tests on Deno", bin("deno"), ["test", "-A", "--no-check", "--quiet", "test/runtime"]],
		["the other tests across folders", process.execPath, [...test, ...pathsOf(inThirdRow)]],
	],
];

const long = [
	[["most long tests", process.execPath, [...test, ...longFiles(false)]]],
	[
		["the schedule of callbacks, in real time", process.execPath, [...test, "./test/slow/schedule.long.ts"]],
		["clients that do not read", process.execPath, [...test, "./test/attacks/unread-streams.long.ts"]],
		[
			"the packed package, installed",
			process.execPath,
			[
				...test,
				...["package", "package-rooms", "package-plugins", "manifests"].map((name) => `./test/slow/${name}.long.ts`),
			],
		],
		["chaos for a minute", process.execPath, [portico, "bun", "test/chaos/run.ts", "--seconds", "60"]],
		["the other long tests", process.execPath, [...test, ...longFiles(true)]],
	],
];

/** After both rows: nothing that runs beside it moves its figures. */
const bench = ["the bench, short", process.execPath, [portico, "bun", "test/bench/run.ts", "--quick"]];

const isLong = process.argv.includes("--long");
const rows = isLong ? long : quick;

/** The temporary folder of all tests: what one leaves behind goes with it. Some run as other users, who must reach theirs. */
const temporary = mkdtempSync(join(tmpdir(), "portico-suite-"));
chmodSync(temporary, 0o755);

/** What a failing test printed: the lines since the test before it ended. Long ones keep their beginning. */
const failuresIn = (lines) => {
	const failures = [];
	let began = 0;
	for (const [index, line] of lines.entries()) {
		if (!/^\((pass|fail|skip|todo)\) /.test(line)) continue;
		if (line.startsWith("(fail)")) failures.push([...lines.slice(began, index).slice(0, 40), line].join("\n"));
		began = index + 1;
	}
	return failures;
};

/** Runs one step to its end; what it prints is kept, and shown as it comes if it is `watched`, else at its end. */
const run = async ([name, command, words], watched) => {
	const began = performance.now();
	if (watched) console.log(`\n── ${name}`);
	const child = spawn(command, words, {
		cwd: root,
		env: { ...process.env, TMPDIR: temporary },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const pieces = [];
	for (const [from, to] of [
		[child.stdout, process.stdout],
		[child.stderr, process.stderr],
	])
		from.setEncoding("utf8").on("data", (text) => {
			if (watched) to.write(text);
			pieces.push(text);
		});
	const passed = await new Promise((resolve) => {
		child.on("error", (error) => {
			console.error(error.message);
			resolve(false);
		});
		child.on("close", (status) => resolve(status === 0));
	});
	const printed = pieces.join("");
	if (!watched) console.log(`\n── ${name}\n${printed}`);
	const failures = passed ? [] : failuresIn(printed.split("\n"));
	// A failure that is not a test's is told whole: it stands in the midst of what the other row prints.
	const report = passed || watched || failures.length > 0 ? failures : [`── ${name}\n${printed}`];
	return { name, passed, failures, report, seconds: (performance.now() - began) / 1000 };
};

const results = [];
await Promise.all(
	rows.map(async (steps, index) => {
		for (const step of steps) results.push(await run(step, index === 0));
	}),
);
if (isLong) results.push(await run(bench, true));
rmSync(temporary, { recursive: true, force: true });

// Once more at the end, where a person looks first and a log that keeps only its end still has it.
for (const failure of results.flatMap(({ report }) => report)) console.log(`\n${failure}`);
console.log("");
for (const { name, passed, failures, seconds } of results) {
	console.log(`${passed ? "passed" : "FAILED"}  ${name} (${seconds.toFixed(1)} s)`);
	for (const failure of failures) console.log(`        ${failure.split("\n").at(-1)}`);
}
const passed = results.filter((result) => result.passed).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
process.exit(passed === results.length ? 0 : 1);
