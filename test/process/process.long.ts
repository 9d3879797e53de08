/** What happens to a whole process: killed in the middle, told to stop, asked for more than the runtime's own cap. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram } from "../support/sqld.ts";

let folder: string;
let config: string;
let upstream: ScriptedUpstream;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-process-"));
	upstream = startUpstream();
	config = join(folder, "portico.yaml");
	const plugins = [
		"tokens",
		"chat-completions",
		"ledger",
		{
			use: "router",
			with: {
				upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-secret" }],
				models: [{ name: "*", targets: [{ upstream: "main" }] }],
			},
		},
	].map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin));
	writeFileSync(
		config,
		JSON.stringify({ server: { port: 0, drainSeconds: 5 }, database: { url: "file:data/portico.db" }, plugins }),
	);
});

afterAll(endProcesses);
afterAll(async () => {
	await upstream.stop();
	rmSync(folder, { recursive: true, force: true });
});

const ask = (address: string, key: string, body: object = {}): Promise<Response> =>
	fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }], ...body }),
	});

/** A streamed call over a bare socket: the test runner's own `fetch` has the cap that the server must not have. */
const askBySocket = (address: string, key: string): Promise<string> =>
	new Promise((resolve, reject) => {
		const { hostname, port, host } = new URL(address);
		const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });
		const head = [
			"POST /v1/chat/completions HTTP/1.1",
			`Host: ${host}`,
			`Authorization: Bearer ${key}`,
			"Content-Type: application/json",
		];
		const socket = connect(Number(port), hostname, () =>
			socket.write(`${[...head, `Content-Length: ${body.length}`, "Connection: close"].join("\r\n")}\r\n\r\n${body}`),
		);
		let text = "";
		socket.on("data", (data) => {
			text += String(data);
		});
		socket.on("end", () => resolve(text));
		socket.on("error", reject);
	});

const chunk = (delta: object, finish: string | null = null): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const completion = {
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

test("a command that is none is told in words, and makes no database", async () => {
	const { code, errors } = await runCommand(folder, ["tokn", "create", "--config", config]);
	expect({ code, errors }).toEqual({
		code: 1,
		errors: 'there is no command "tokn" (did you mean "token"?); portico help lists what there is\n',
	});
	expect(existsSync(join(folder, "data"))).toBe(false);
});

test("killed in the middle of 200 calls, the next start is clean and every acknowledged token is there", async () => {
	upstream.answer(() => Response.json(completion));
	let key: string | undefined;
	const issued: string[] = [];
	for (let round = 0; round < 3; round++) {
		const portico = await startProcess(folder, config);
		key ??= portico.key;
		if (key === undefined) throw new Error("no first token was printed");
		const known = key;
		const calls = Array.from({ length: 200 }, () =>
			ask(portico.address, known).then(
				(response) => response.text(),
				() => "broken",
			),
		);
		const tokens = Array.from({ length: 10 }, async (_, index) => {
			const made = await runCommand(folder, [
				"token",
				"create",
				"--name",
				`t${round}-${index}`,
				"--json",
				"--config",
				config,
			]);
			if (made.code === 0) issued.push((JSON.parse(made.output) as { key: string }).key);
		});
		await tokens[0];
		await portico.end("SIGKILL");
		await Promise.all([...calls, ...tokens]);
	}
	const again = await startProcess(folder, config);
	expect(issued.length).toBeGreaterThan(0);
	for (const token of issued) expect((await ask(again.address, token)).status).toBe(200);
	expect(await again.end("SIGTERM")).toBe(0);
	const database = createClient({ url: `file:${join(folder, "data/portico.db")}` });
	expect((await database.execute("PRAGMA integrity_check")).rows[0]?.["integrity_check"]).toBe("ok");
	const halves = await database.execute(
		"SELECT count(*) AS n FROM ledger WHERE status IS NULL OR ending IS NULL OR model IS NULL",
	);
	expect(Number(halves.rows[0]?.["n"])).toBe(0);
	database.close();
}, 60_000);

test("500 streams at once are held to their end", async () => {
	const release = Promise.withResolvers<void>();
	let waiting = 0;
	const all = Promise.withResolvers<void>();
	upstream.answer(() => {
		const encoder = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				controller.enqueue(encoder.encode(chunk({ role: "assistant", content: "begin" })));
				if (++waiting === 500) all.resolve();
				await release.promise;
				controller.enqueue(encoder.encode(`${chunk({ content: " end" })}${chunk({}, "stop")}data: [DONE]\n\n`));
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	// The environment's proxy leads nowhere; a server that obeyed it would reach no upstream.
	const portico = await startProcess(folder, config, {
		HTTP_PROXY: "http://127.0.0.1:1",
		http_proxy: "http://127.0.0.1:1",
	});
	const made = await runCommand(folder, ["token", "create", "--name", "many", "--json", "--config", config]);
	const { key } = JSON.parse(made.output) as { key: string };
	const texts = Array.from({ length: 500 }, () => askBySocket(portico.address, key));
	await all.promise;
	release.resolve();
	for (const text of await Promise.all(texts)) expect(text).toContain("data: [DONE]\n\n");
	expect(await portico.end("SIGTERM")).toBe(0);
}, 60_000);

test("told to stop, it lets running streams finish, refuses new calls, writes the ledger and exits with 0", async () => {
	const release = Promise.withResolvers<void>();
	const begun = Promise.withResolvers<void>();
	upstream.answer(() => {
		const encoder = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				controller.enqueue(encoder.encode(chunk({ role: "assistant", content: "begin" })));
				begun.resolve();
				await release.promise;
				controller.enqueue(encoder.encode(`${chunk({}, "stop")}data: [DONE]\n\n`));
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const portico = await startProcess(folder, config);
	const made = await runCommand(folder, ["token", "create", "--name", "drain", "--json", "--config", config]);
	const { id, key } = JSON.parse(made.output) as { id: string; key: string };
	const running = await ask(portico.address, key, { stream: true });
	await begun.promise;
	const ended = portico.end("SIGTERM");
	await portico.says(/"stopping/);
	const refused = await ask(portico.address, key).then(
		(response) => response.status,
		() => "connection refused",
	);
	expect([503, "connection refused"]).toContain(refused);
	release.resolve();
	expect(await running.text()).toEndWith("data: [DONE]\n\n");
	expect(await ended).toBe(0);
	const usage = await runCommand(folder, ["usage", "--by", "token", "--token", id, "--json", "--config", config]);
	expect(JSON.parse(usage.output)).toMatchObject({ data: [{ token: id, completed: 1 }] });
}, 60_000);

test.each([[[]], [["--workers", "2"]]])(
	"Ctrl-C for the second time ends running streams, which are told and written down: serve %j",
	async (words) => {
		if (words.length > 0 && sqldProgram() === undefined) return;
		const begun = Promise.withResolvers<void>();
		upstream.answer(() => {
			const body = new ReadableStream<Uint8Array>({
				start(controller) {
					controller.enqueue(new TextEncoder().encode(chunk({ role: "assistant", content: "begin" })));
					begun.resolve();
				},
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		const known = JSON.parse(readFileSync(config, "utf8")) as { server: object };
		const home = join(folder, `hurried-${words.length}`);
		mkdirSync(home);
		const patient = join(home, "patient.yaml");
		writeFileSync(patient, JSON.stringify({ ...known, server: { ...known.server, drainSeconds: 60 } }));
		const portico = await startProcess(folder, patient, {}, words);
		const made = await runCommand(folder, ["token", "create", "--name", "hurried", "--json", "--config", patient]);
		const { id, key } = JSON.parse(made.output) as { id: string; key: string };
		const running = await ask(portico.address, key, { stream: true });
		await begun.promise;
		// As a terminal and the launcher tell it, both at once.
		void portico.end("SIGINT");
		const ended = portico.end("SIGINT");
		await portico.says(/"stopping/);
		const hurried = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000, "it waits"))]);
		expect(hurried).toBe("it waits");
		const again = performance.now();
		void portico.end("SIGINT");
		expect(await running.text()).toContain("error");
		expect(await ended).toBe(0);
		expect(performance.now() - again).toBeLessThan(8000);
		const usage = await runCommand(folder, ["usage", "--by", "token", "--token", id, "--json", "--config", patient]);
		expect(JSON.parse(usage.output)).toMatchObject({ data: [{ token: id, calls: 1, completed: 0 }] });
	},
	60_000,
);

test("a second process on the same file is refused with a clear message", async () => {
	const first = await startProcess(folder, config);
	const second = await runCommand(folder, ["serve", "--config", config]);
	expect(second.code).toBe(1);
	expect(second.errors).toContain("the database is in use by process");
	expect(second.errors).toContain(first.address);
	expect(await first.end("SIGTERM")).toBe(0);
}, 30_000);

test("told to stop with 500 open streams: each finishes or ends with an error of its protocol, all are in the ledger, exit 0", async () => {
	const release = Promise.withResolvers<void>();
	const all = Promise.withResolvers<void>();
	let waiting = 0;
	upstream.answer(() => {
		const encoder = new TextEncoder();
		const finishes = ++waiting % 2 === 0;
		if (waiting === 500) all.resolve();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				controller.enqueue(encoder.encode(chunk({ role: "assistant", content: "begin" })));
				if (!finishes) return;
				await release.promise;
				controller.enqueue(encoder.encode(`${chunk({}, "stop")}data: [DONE]\n\n`));
				controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});
	const impatient = join(folder, "impatient.yaml");
	const known = JSON.parse(readFileSync(config, "utf8")) as { server: object };
	writeFileSync(impatient, JSON.stringify({ ...known, server: { ...known.server, drainSeconds: 2 } }));
	const portico = await startProcess(folder, impatient);
	const made = await runCommand(folder, ["token", "create", "--name", "stop", "--json", "--config", impatient]);
	const { id, key } = JSON.parse(made.output) as { id: string; key: string };
	const texts = Array.from({ length: 500 }, () => askBySocket(portico.address, key));
	await all.promise;
	const ended = portico.end("SIGTERM");
	await portico.says(/"stopping/);
	release.resolve();
	const ends = (await Promise.all(texts)).map((text) => {
		if (text.includes("data: [DONE]\n\n")) return "finished";
		return /data: \{"error":.*\n\n/.test(text) ? "error" : text;
	});
	expect(ends.filter((end) => end === "finished")).toHaveLength(250);
	expect(ends.filter((end) => end === "error")).toHaveLength(250);
	expect(await ended).toBe(0);
	const usage = await runCommand(folder, ["usage", "--by", "token", "--token", id, "--json", "--config", config]);
	expect(JSON.parse(usage.output)).toMatchObject({ data: [{ token: id, calls: 500, completed: 250 }] });
}, 60_000);
