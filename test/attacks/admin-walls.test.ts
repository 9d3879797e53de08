/** Promise: the admin routes are reached by their own path, under the server's own names, with a token that cannot be guessed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, type TestGateway } from "#core/testing";
import { startProcess } from "../support/process.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: ["chat-completions", "tokens", "router", "demo"],
		config: { server: { hosts: ["portico.example"] } },
	});
});
afterAll(() => gateway.stop());

/** The status of what a bare socket is answered: no client library mends the path or the host. */
const statusOf = (target: string, host: string, method = "GET"): Promise<number> =>
	new Promise((resolve, reject) => {
		let text = "";
		const head = [
			`${method} ${target} HTTP/1.1`,
			`Host: ${host}`,
			`Authorization: Bearer ${gateway.adminToken}`,
			"Connection: close",
			...(method === "GET" ? [] : ["Content-Length: 0"]),
		];
		const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () =>
			socket.write(`${head.join("\r\n")}\r\n\r\n`),
		);
		socket.on("data", (data) => {
			text += String(data);
		});
		socket.on("end", () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
		socket.on("error", reject);
	});

const own = (): string => new URL(gateway.url).host;

describe("a path that is resolved to an admin route, with the admin token", () => {
	test.each([
		"/v1/../admin/tokens",
		"/v1/%2e%2e/admin/tokens",
		"/v1/%2E%2E/admin/tokens",
		"/v1/.%2e/admin/tokens",
		"/v1/x/../../admin/tokens",
		"/v1/%2e./x/../admin/tokens",
		"/../admin/tokens",
		"/admin/../admin/tokens",
		"/admin/x/%2e%2e/tokens",
		"/v1\\..\\admin\\tokens",
		"/v1//../../admin/tokens",
		"//../admin/tokens",
		"/./admin/tokens",
		`${"/a".repeat(30)}${"/..".repeat(30)}/admin/tokens`,
		`http://127.0.0.1/v1/../admin/tokens`,
	])("%s is refused", async (target) => {
		expect(await statusOf(target, own())).toBeOneOf([400, 404]);
	});

	test("refuses `..` on every other route too, and takes it in a query for what it is", async () => {
		expect(await statusOf("/v1/x/../models", own())).toBe(404);
		expect(await statusOf("/v1/models/..", own())).toBe(404);
		expect(await statusOf("/admin/tokens?name=/../x", own())).toBe(200);
		expect(await statusOf("/healthz?x=/%2e%2e/", own())).toBe(200);
	});
});

describe("the Host of an admin call", () => {
	test("may be the listener's address, localhost, or one that is configured", async () => {
		const { port } = new URL(gateway.url);
		for (const host of [
			`127.0.0.1:${port}`,
			`localhost:${port}`,
			`[::1]:${port}`,
			"portico.example",
			"Portico.Example:443",
		])
			expect(await statusOf("/admin/tokens", host)).toBe(200);
	});

	test.each([
		"evil.example",
		"localhost.evil.example",
		"127.0.0.1.evil.example",
		"portico.example.evil.example",
		"203.0.113.9",
		"evil-portico.example",
	])("%s is foreign: nothing is answered or changed", async (host) => {
		expect(await statusOf("/admin/tokens", host)).toBe(403);
		expect(await statusOf("/admin/reload", host, "POST")).toBe(403);
	});

	test("does not matter elsewhere", async () => {
		expect(await statusOf("/healthz", "evil.example")).toBe(200);
	});
});

describe("an admin token that could be guessed", () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-attack-"));
	const config = join(folder, "portico.yaml");
	const main = join(import.meta.dir, "../../bin/portico.mjs");
	beforeAll(() =>
		writeFileSync(config, 'server: { port: 0 }\ndatabase: { url: "file:data/portico.db" }\nplugins: []\n'),
	);
	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	const run = async (words: readonly string[], token: string) => {
		const child = Bun.spawn(["node", main, ...words, "--config", config], {
			cwd: folder,
			env: { ...process.env, PORTICO_ADMIN_TOKEN: token },
			stdout: "pipe",
			stderr: "pipe",
		});
		const [code, ...said] = await Promise.all([
			child.exited,
			new Response(child.stdout).text(),
			new Response(child.stderr).text(),
		]);
		return { code, said: said.join("") };
	};

	test.each([["check"], ["serve"]])("`%s` ends with a complaint that does not repeat it", async (word) => {
		const { code, said } = await run([word], "only-31-characters-of-a-token-x");
		expect(code).toBe(1);
		expect(said).toContain("has 31 characters");
		expect(said).not.toContain("only-31");
		expect((await run([word], `${"x".repeat(20)} ${"y".repeat(20)}`)).code).toBe(1);
	});

	test("one of 32 is good", async () => {
		const token = "x".repeat(32);
		expect((await run(["check"], token)).code).toBe(0);
		const portico = await startProcess(folder, config, { PORTICO_ADMIN_TOKEN: token });
		const answer = await fetch(`${portico.address}/admin/plugins`, { headers: { authorization: `Bearer ${token}` } });
		expect(answer.status).toBe(200);
		await portico.end("SIGTERM");
	});
});
