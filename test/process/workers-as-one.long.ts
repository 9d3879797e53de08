/** `portico serve --workers N` seen from outside as one: its metrics are those of all workers, and a limit holds for all together. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

let folder: string;
let server: SharedDatabase;
let upstream: ScriptedUpstream;
let portico: PorticoProcess;
let adminToken: string;

/** Fails where it is asked to, and its job from then on. */
const careless = `import { add, definePlugin, jobs, policies, t } from "#core";
let failing = false;
const fails = () => {
	throw new Error("no");
};
const check = (call) => {
	if (!JSON.stringify(call.prompt().messages).includes("Fail")) return undefined;
	failing = true;
	return fails();
};
export default definePlugin({
	name: "careless",
	summary: "Fails.",
	config: t.Object({}),
	gives: [jobs, policies],
	setup: () => ({
		offers: [
			add(policies, { name: "careless", check }),
			add(jobs, { name: "careless: forget", schedule: "* * * * * *", run: () => failing && fails() }),
		],
	}),
});
`;

const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-workers-"));
	server = await startSharedDatabase(folder);
	upstream = startUpstream(() => Response.json(completion));
	const upstreams = [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-secret" }];
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "rate-limit" },
		{ use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "main" }] }] } },
		{ use: "metrics" },
		{ use: "./careless.ts" },
	];
	writeFileSync(join(folder, "careless.ts"), careless);
	const config = join(folder, "portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, database: { url: server.url }, plugins }));
	portico = await startProcess(folder, config, {}, ["--workers", "3"]);
	await portico.says(/"worker":2,"process":\d+/);
	await portico.says(/"worker":3,"process":\d+/);
	adminToken = (await Bun.file(join(folder, "data/admin-token")).text()).trim();
}, 60_000);
afterAll(endProcesses);
afterAll(async () => {
	await upstream.stop();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

interface Trouble {
	readonly failures?: { readonly part: string; readonly times: number };
}

interface Answer {
	readonly status: number;
	readonly text: string;
}

/** On a connection of its own, so that the kernel chooses the worker anew. Status 0 when the connection broke. */
const send = (method: string, path: string, bearer: string, body?: object): Promise<Answer> =>
	new Promise((resolve) => {
		const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
		const call = request(portico.address + path, { method, headers, agent: false }, (response) => {
			let text = "";
			response.on("data", (piece) => {
				text += String(piece);
			});
			response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
		});
		call.on("error", () => resolve({ status: 0, text: "" }));
		call.end(body && JSON.stringify(body));
	});

const ask = async (key = portico.key ?? ""): Promise<number> =>
	(await send("POST", "/v1/chat/completions", key, { model: "m", messages: [{ role: "user", content: "Hello" }] }))
		.status;

const scrape = async (): Promise<readonly string[]> => {
	for (;;) {
		const { status, text } = await send("GET", "/metrics", adminToken);
		// A worker that is killed takes the scrape with it.
		if (status === 200) return text.split("\n");
		expect(status).toBe(0);
	}
};

const figureIn = (lines: readonly string[], start: string): number =>
	Number(
		lines
			.find((line) => line.startsWith(start))
			?.split(" ")
			.at(-1),
	);

const completed = 'portico_calls_total{protocol="chat-completions",upstream="main",model="m",status="200"';
const took =
	'portico_call_duration_seconds_bucket{protocol="chat-completions",upstream="main",stream="false",le="+Inf"}';

const processOf = (worker: number): number =>
	Number([...portico.output().matchAll(new RegExp(`"worker":${worker},"process":(\\d+)`, "g"))].at(-1)?.[1]);

test("every worker shows the counts of all", async () => {
	for (let index = 0; index < 60; index++) expect(await ask()).toBe(200);
	// With three workers chosen by chance, twelve scrapes of one alone come once in 200,000 times.
	for (let index = 0; index < 12; index++) {
		const lines = await scrape();
		expect([figureIn(lines, completed), figureIn(lines, took), figureIn(lines, "portico_workers ")]).toEqual([
			60, 60, 3,
		]);
	}
}, 60_000);

test("no counter falls when a worker is killed, while it is away, and when another has its place", async () => {
	for (let deaths = 0, least = 60; deaths < 2; deaths++) {
		const first = processOf(1);
		process.kill(first, "SIGKILL");
		await until(async () => figureIn(await scrape(), "portico_workers ") === 2, "a worker away", 60_000);
		expect(figureIn(await scrape(), completed)).toBe(least);
		await until(() => processOf(1) !== first, "another in its place", 60_000);
		await until(async () => figureIn(await scrape(), "portico_workers ") === 3, "three again", 60_000);
		for (let index = 0; index < 30; index++) expect(await ask()).toBe(200);
		least += 30;
		for (let index = 0; index < 6; index++) {
			const lines = await scrape();
			expect([figureIn(lines, completed), figureIn(lines, took)]).toEqual([least, least]);
		}
	}
}, 60_000);

test("what is wrong at one worker is told by every one of them, with its number", async () => {
	const file = join(folder, "portico.yaml");
	const good = await Bun.file(file).text();
	writeFileSync(file, "plugins: [{ use: nobody }]");
	expect((await send("POST", "/admin/reload", adminToken)).status).toBe(422);
	const troubles = async () => JSON.parse((await send("GET", "/admin/troubles", adminToken)).text) as unknown;
	const told = await troubles();
	expect(told).toMatchObject({ data: [{ what: "config", workers: [expect.any(Number)] }], workers: 3 });
	for (let index = 0; index < 12; index++) expect(await troubles()).toEqual(told);
	// Whichever worker is asked reloads, and lets the others follow.
	writeFileSync(file, good);
	expect((await send("POST", "/admin/reload", adminToken)).status).toBe(200);
	await until(
		async () => JSON.stringify(await troubles()) === '{"data":[],"upstreams":[],"workers":3}',
		"no trouble",
		60_000,
	);
	// What failed before a worker reloads is forgotten by it: the next test counts failures.
	const reloads = async () => portico.output().match(/"msg":"reloaded"/g)?.length;
	await until(async () => (await reloads()) === 3, "every worker has reloaded", 60_000);
}, 60_000);

test("what fails in a plugin is one trouble, however many workers it fails at, and so is its job", async () => {
	const asked = { model: "m", messages: [{ role: "user", content: "Fail" }] };
	for (let index = 0; index < 12; index++)
		expect((await send("POST", "/v1/chat/completions", portico.key ?? "", asked)).status).toBe(500);
	const failures = async (part: string) =>
		(JSON.parse((await send("GET", "/admin/troubles", adminToken)).text) as { data: Trouble[] }).data.filter(
			(trouble) => trouble.failures?.part === part,
		);
	expect(await failures('The policy "careless"')).toMatchObject([{ failures: { times: 12 } }]);
	await until(
		async () => ((await failures('The job "careless: forget"'))[0]?.failures?.times ?? 0) > 3,
		"a job",
		60_000,
	);
	expect(await failures('The job "careless: forget"')).toHaveLength(1);
}, 90_000);

const tokenWith = async (rateLimit: object): Promise<string> => {
	const { text } = await send("POST", "/admin/tokens", adminToken, { name: "limited", rateLimit });
	return (JSON.parse(text) as { key: string }).key;
};

/** Calls, twenty at a time, each on a connection of its own; how many were let through, and how many told to come back. */
const crowd = async (count: number, key: string): Promise<{ passed: number; refused: number }> => {
	let [left, passed, refused] = [count, 0, 0];
	const one = async (): Promise<void> => {
		while (left-- > 0) {
			const status = await ask(key);
			if (status === 200) passed++;
			else if (status === 429) refused++;
		}
	};
	await Promise.all(Array.from({ length: 20 }, one));
	return { passed, refused };
};

test("a minute's requests are those of all workers together, and go on as they are when one is killed", async () => {
	const key = await tokenWith({ requestsPerMinute: 120 });
	const began = performance.now();
	const first = await crowd(80, key);
	expect(first).toEqual({ passed: 80, refused: 0 });
	const killed = processOf(2);
	process.kill(killed, "SIGKILL");
	const more = await crowd(150, key);
	await until(() => processOf(2) !== killed, "another in its place", 60_000);
	const last = await crowd(60, key);
	const filled = Math.ceil(((performance.now() - began) / 1000) * 2);
	const passed = first.passed + more.passed + last.passed;
	expect(passed).toBeLessThanOrEqual(120 + filled);
	// What the killed one held, an eighth at most, is nobody's for a while.
	expect(passed).toBeGreaterThanOrEqual(120 - 15);
	expect(last.refused).toBeGreaterThan(0);
}, 60_000);

test("calls at once are counted over all workers", async () => {
	const key = await tokenWith({ concurrent: 4 });
	const held: (() => void)[] = [];
	let [most, running] = [0, 0];
	upstream.answer(async () => {
		most = Math.max(most, ++running);
		await new Promise<void>((resolve) => void held.push(resolve));
		running--;
		return Response.json(completion);
	});
	const statuses: number[] = [];
	const calls = Array.from({ length: 24 }, async () => void statuses.push(await ask(key)));
	await until(() => held.length === 4 && statuses.length === 20, "four calls at the upstream", 60_000);
	for (const letGo of held) letGo();
	await Promise.all(calls);
	expect(most).toBe(4);
	expect(statuses.filter((status) => status === 200)).toHaveLength(4);
	upstream.answer(() => Response.json(completion));
	for (let index = 0; index < 12; index++) expect(await ask(key)).toBe(200);
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);
