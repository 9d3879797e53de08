/**
 * `npm run soak -- --minutes 10`: a Portico process under load, first calm, then with 5 % of all calls misbehaving on one
 * side or the other. Prints memory, descriptors and the latency of healthy calls; fails when they do not come back.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { faults, startSoakUpstream } from "./upstream.ts";

const { values } = parseArgs({
	options: { minutes: { type: "string", default: "10" }, workers: { type: "string", default: "24" } },
});
const totalMs = Number(values.minutes) * 60_000;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "portico-soak-"));
const upstream = await startSoakUpstream();
const plugins = [
	"tokens",
	"chat-completions",
	"messages",
	"rate-limit",
	{ use: "prices", with: { models: { m: { input: 1, output: 10 } } } },
	"quota",
	"ledger",
	"call-log",
	{
		use: "router",
		with: {
			upstreams: [{ name: "main", protocol: "chat-completions", url: `http://127.0.0.1:${upstream.port}/v1` }],
			models: [{ name: "m", targets: [{ upstream: "main" }], caps: { maxOutput: 500 } }],
		},
	},
].map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin));
const config = join(folder, "portico.yaml");
writeFileSync(
	config,
	JSON.stringify({ server: { port: 0, logLevel: "warn" }, database: { url: "file:portico.db" }, plugins }),
);

const launcher = spawn("node", [join(import.meta.dir, "../../bin/portico.mjs"), "serve", "--config", config], {
	cwd: folder,
	stdio: ["ignore", "pipe", "ignore"],
});
let output = "";
launcher.stdout.on("data", (data) => {
	output += String(data);
});
const ended = new Promise<number | null>((resolve) => launcher.once("exit", resolve));
while (!/first token\s+sk-\w+/.test(output)) await pause(20);
const address = /serves at (http:\S+)/.exec(output)?.[1] ?? "";
const key = /first token\s+(sk-\w+)/.exec(output)?.[1] ?? "";
const pid = readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, "utf8").trim().split(" ")[0] ?? "";

interface Reading {
	readonly megabytes: number;
	readonly descriptors: number;
}
const read = (): Reading => ({
	megabytes: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
	descriptors: readdirSync(`/proc/${pid}/fd`).length,
});

interface Tally {
	readonly times: number[];
	healthy: number;
	failed: number;
	misbehaved: number;
}
const tally = (): Tally => ({ times: [], healthy: 0, failed: 0, misbehaved: 0 });
const percentile = (times: readonly number[], share: number): number =>
	[...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;

const call = async (count: Tally, fault: string | undefined): Promise<void> => {
	const stream = Math.random() < 0.6;
	const translated = Math.random() < 0.4;
	const abort = new AbortController();
	const leaves = fault === "client-leaves" ? setTimeout(() => abort.abort(), Math.random() * 40) : undefined;
	const began = performance.now();
	const body = {
		model: "m",
		stream,
		max_tokens: 50,
		messages: [{ role: "user", content: "Hello" }],
		user: `fault-${fault}`,
	};
	const metadata = { user_id: "x" };
	try {
		const response = await fetch(
			`${address}/v1/${translated && fault === undefined ? "messages" : "chat/completions"}`,
			{
				method: "POST",
				headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
				body: JSON.stringify(
					fault === undefined ? { ...body, user: undefined, ...(translated && { metadata }) } : body,
				),
				signal: abort.signal,
			},
		);
		const text = await response.text();
		if (fault === undefined) {
			count.times.push(performance.now() - began);
			if (response.ok && !text.includes('"error"')) count.healthy++;
			else count.failed++;
		} else count.misbehaved++;
	} catch {
		if (fault === undefined) count.failed++;
		else count.misbehaved++;
	}
	clearTimeout(leaves);
};

/** Load for so long; `share` of the calls misbehave. */
const load = async (milliseconds: number, share: number): Promise<Tally> => {
	const count = tally();
	const until = performance.now() + milliseconds;
	const kinds = [...faults, "client-leaves", "client-leaves"];
	const work = async (): Promise<void> => {
		while (performance.now() < until)
			await call(count, Math.random() < share ? kinds[Math.floor(Math.random() * kinds.length)] : undefined);
	};
	await Promise.all(Array.from({ length: Number(values.workers) }, work));
	return count;
};

const show = (label: string, count: Tally): void =>
	print(
		`${label.padEnd(10)} ${count.healthy} healthy calls answered, ${count.failed} not, ${count.misbehaved} misbehaved; p50 ${percentile(count.times, 0.5).toFixed(1)} ms, p99 ${percentile(count.times, 0.99).toFixed(1)} ms`,
	);

await load(Math.min(20_000, totalMs / 6), 0.05);
await pause(3000);
const start = read();
print(`start      ${start.megabytes.toFixed(0)} MB, ${start.descriptors} descriptors (after warming up)`);
const calm = await load(totalMs / 4, 0);
show("calm", calm);
const stormy = await load((totalMs * 3) / 4, 0.05);
show("5 % wrong", stormy);
const loaded = read();
print(`loaded     ${loaded.megabytes.toFixed(0)} MB, ${loaded.descriptors} descriptors`);
await pause(10_000);
const end = read();
print(`end        ${end.megabytes.toFixed(0)} MB, ${end.descriptors} descriptors`);
launcher.kill("SIGTERM");
const code = await ended;
upstream.close();
rmSync(folder, { recursive: true, force: true });

const verdicts: readonly (readonly [string, boolean])[] = [
	["memory back to within 10 %", end.megabytes <= start.megabytes * 1.1],
	["descriptors back", end.descriptors <= start.descriptors + 5],
	[
		"p99 of healthy calls within 2 x of the calm run",
		percentile(stormy.times, 0.99) <= 2 * percentile(calm.times, 0.99),
	],
	["every healthy call answered", calm.failed + stormy.failed === 0],
	["stopped with 0", code === 0],
];
for (const [what, held] of verdicts) print(`${held ? "kept  " : "FAILED"} ${what}`);
process.exit(verdicts.every(([, held]) => held) ? 0 : 1);
