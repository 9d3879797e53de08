// The whole suite, one step after the other: style and walls, types, the shipped schema, the tests on Bun, the runtime
// tests on Deno, the schedule of callbacks in real time, the bench in its short form, and a minute of chaos. Every step
// runs even when one before it failed; the exit code says whether all were good.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules", ".bin", name);
const portico = join(root, "bin", "portico.mjs");

const steps = [
	["style and walls", bin("biome"), ["ci", "."]],
	["types", bin("tsc"), ["-p", "."]],
	["the shipped config is good", process.execPath, [portico, "check", "--config", "config/portico.yaml"]],
	["its schema is fresh", process.execPath, [portico, "schema", "--check", "--config", "config/portico.yaml"]],
	// A busy machine is slow, not wrong: five seconds, the default, is too little for the longest property tests there.
	["tests", process.execPath, [portico, "bun", "test", "--timeout", "30000"]],
	["runtime tests on Deno", bin("deno"), ["test", "-A", "--no-check", "--quiet", "test/runtime"]],
	["callbacks in real time", process.execPath, [portico, "bun", "test", "./test/slow/schedule.slow.ts"]],
	["the bench, short", process.execPath, [portico, "bun", "test/bench/run.ts", "--quick"]],
	["chaos for a minute", process.execPath, [portico, "bun", "test/chaos/run.ts", "--seconds", "60"]],
];

const results = steps.map(([name, command, words]) => {
	const began = performance.now();
	console.log(`\n── ${name}`);
	const { status, error } = spawnSync(command, words, { cwd: root, stdio: "inherit" });
	if (error) console.error(error.message);
	return { name, passed: status === 0, seconds: (performance.now() - began) / 1000 };
});

console.log("");
for (const { name, passed, seconds } of results)
	console.log(`${passed ? "passed" : "FAILED"}  ${name} (${seconds.toFixed(1)} s)`);
const passed = results.filter((result) => result.passed).length;
console.log(`${passed} passed, ${results.length - passed} failed`);
process.exit(passed === results.length ? 0 : 1);
