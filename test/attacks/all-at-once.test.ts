/**
 * Promise: under all attacks at once a healthy client is served almost as in a calm, whoever asks for `/healthz` hears soon,
 * and memory stays under a stated number. Portico, its attackers and their upstream are processes of their own.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ScriptedUpstream, startUpstream, streamOf } from "#core/testing";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";
import { answers, requestOf } from "../support/upstream-answers.ts";
import type { SiegeTold } from "./siege.ts";
import { attacks, pause, type Siege } from "./siege-attacks.ts";
import { sized } from "./sized.ts";
import { attackProtocols, rates, roots } from "./world.ts";

const megabyte = 1024 * 1024;
const adminToken = "admin-token-of-the-siege-0123456789abcdef";
/** What all calls together may hold. */
const memoryBytes = sized(64, 256) * megabyte;
/** The stated number: what calls hold is held as bytes, as text and as what is sent, and garbage that waits comes on top. */
const mostBytes = sized(1024, 2048) * megabyte;
/** A model takes its time: so much of it stands in every call of the healthy client. */
const modelMs = 40;
/** How much later the slowest may be heard, and the hundredth call answered; on a machine that does other things meanwhile, much more. */
const healthMs = sized(2_000, 200);
const slower = sized(10, 3);

/** A disk that others write to stops whoever waits for it: this is about Portico, so its files lie in memory where they can. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "portico-siege-"));
let siege: ChildProcess;
let model: ScriptedUpstream;
let portico: PorticoProcess;

const told = <T>(): Promise<T> => new Promise((resolve) => siege.once("message", (message) => resolve(message as T)));

const chat = answers["chat-completions"];
const counts = { input: 5, output: 3 };

const configFor = (siegeUrl: string): object => ({
	server: { port: 0, logLevel: "error", memoryBytes },
	plugins: [
		"tokens",
		...attackProtocols,
		{
			use: "router",
			with: {
				upstreams: [
					...attackProtocols.map((protocol) => ({
						name: protocol,
						protocol,
						url: siegeUrl + roots[protocol],
						key: "k",
					})),
					{ name: "model", protocol: "chat-completions", url: `${model.url}/v1`, key: "k" },
				],
				models: [
					{ name: "good", targets: [{ upstream: "model" }] },
					...attackProtocols.map((protocol) => ({ name: `${protocol}-*`, targets: [{ upstream: protocol }] })),
				],
			},
		},
		{ use: "prices", with: { models: { "demo-image": { perImage: 0.01 }, "*": rates } } },
		"quota",
		"rate-limit",
		"model-list",
		"ledger",
		"metrics",
		{ use: "demo", with: { wordMs: 0, taskModels: ["demo-image"] } },
		"webhooks",
		"tasks",
		"image",
	].map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin)),
});

const admin = async (method: string, path: string, body?: object): Promise<Response> =>
	await fetch(portico.address + path, {
		method,
		headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});

const tokenFor = async (settings: object): Promise<string> => {
	const response = await admin("POST", "/admin/tokens", { name: "siege", ...settings });
	return ((await response.json()) as { key: string }).key;
};

beforeAll(async () => {
	const script = fileURLToPath(new URL("siege.ts", import.meta.url));
	siege = fork(script, [], {
		execPath: process.execPath,
		env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" },
	});
	const { url } = await told<{ url: string }>();
	model = startUpstream(async ({ json }) => {
		await pause(modelMs);
		const { stream } = json as { readonly stream: boolean };
		const pieces = [chat.opening(counts), chat.word("Good."), chat.finish(counts), chat.count(counts)];
		return stream ? streamOf(pieces) : Response.json(chat.whole("Good.", counts));
	});
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify(configFor(url)));
	portico = await startProcess(folder, "portico.yaml", { PORTICO_ADMIN_TOKEN: adminToken });
}, 60_000);
afterAll(async () => {
	siege.kill();
	await endProcesses();
	await model.stop();
	rmSync(folder, { recursive: true, force: true });
});

interface Health {
	/** Milliseconds of the call at the 99th percentile. */
	readonly p99: number;
	readonly calls: number;
	readonly slowestHealthMs: number;
	readonly mostBytes: number;
}

const residentBytes = async (): Promise<number> => {
	const text = await (await admin("GET", "/metrics")).text();
	return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
};

/** Calls, streamed and whole by turns, and looks at `/healthz` and memory meanwhile. */
const watch = async (key: string, milliseconds: number): Promise<Health> => {
	const until = performance.now() + milliseconds;
	const took: number[] = [];
	let [slowestHealthMs, mostBytes] = [0, 0];
	const call = async (): Promise<void> => {
		for (let round = 0; performance.now() < until; round++) {
			const stream = round % 2 === 0;
			const { path, body } = requestOf("chat-completions", { model: "good", prompt: "Hello", stream, limit: 50 });
			const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
			const begun = performance.now();
			const response = await fetch(portico.address + path, { method: "POST", headers, body: JSON.stringify(body) });
			const text = await response.text();
			took.push(performance.now() - begun);
			expect([response.status, text.includes("Good.")]).toEqual([200, true]);
			await pause(10);
		}
	};
	const look = async (): Promise<void> => {
		for (let round = 0; performance.now() < until; round++) {
			const begun = performance.now();
			expect((await fetch(`${portico.address}/healthz`)).status).toBe(200);
			slowestHealthMs = Math.max(slowestHealthMs, performance.now() - begun);
			if (round % 10 === 0) mostBytes = Math.max(mostBytes, await residentBytes());
			await pause(20);
		}
	};
	await Promise.all([...Array.from({ length: 4 }, call), look()]);
	took.sort((one, other) => one - other);
	return { p99: took[Math.floor(took.length * 0.99)] ?? 0, calls: took.length, slowestHealthMs, mostBytes };
};

test("a healthy client, /healthz and memory, in a calm and under all attacks at once", async () => {
	const key = await tokenFor({ quota: 10 });
	await watch(key, sized(500, 3_000));
	const calm = await watch(key, sized(1_500, 10_000));
	const begin: Siege = {
		url: portico.address,
		adminToken,
		keys: {
			free: await tokenFor({}),
			small: await tokenFor({ quota: 0.002 }),
			spent: await tokenFor({ quota: 0 }),
			slow: await tokenFor({ rateLimit: { requestsPerMinute: 1 } }),
		},
		largeBytes: sized(2, 30) * megabyte,
		turnBytes: sized(0.25, 1) * megabyte,
		many: sized(8, 100),
		holdMs: sized(700, 10_000),
	};
	siege.send({ begin });
	const attacked = await watch(key, sized(4_000, 30_000));
	siege.send({ end: true });
	const rounds = await told<SiegeTold>();
	console.info(
		[calm, attacked].map(
			({ p99, calls, slowestHealthMs, mostBytes }) =>
				`p99 ${p99.toFixed(0)} ms of ${calls} calls, /healthz at most ${slowestHealthMs.toFixed(0)} ms, ${(mostBytes / megabyte).toFixed(0)} MB`,
		),
	);
	expect(Object.keys(rounds).sort()).toEqual(Object.keys(attacks).sort());
	for (const [name, { rounds: made }] of Object.entries(rounds)) expect([name, made > 0]).toEqual([name, true]);
	expect(attacked.p99).toBeLessThan(calm.p99 * slower);
	expect(attacked.slowestHealthMs).toBeLessThan(healthMs);
	expect(attacked.mostBytes).toBeLessThan(mostBytes);
}, 120_000);
