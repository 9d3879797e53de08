/** A plugin whose promise fails while nobody waits for it, or whose timer throws, ends neither the gateway nor a command. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-stray-"));
});
afterAll(endProcesses);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plugin = `
import { add, definePlugin, recorders, routes, t } from "#core";

const lost = async () => {
	throw new Error("nobody waits for this");
};

setTimeout(() => {
	throw new Error("thrown while it was loaded");
}, 1);

export default definePlugin({
	name: "careless",
	summary: "Waits for nothing.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [recorders, routes],
	async setup() {
		void lost();
		await new Promise((resolve) => setTimeout(resolve, 20));
		return { offers: [
			add(recorders, { name: "careless", record: async () => fetch("http://127.0.0.1:1/") }),
			add(routes, {
				method: "GET",
				path: "/timer",
				access: "public",
				summary: "Sets a timer that throws.",
				handle() {
					setTimeout(() => {
						throw new Error("thrown by a timer");
					}, 1);
					return new Response("set");
				},
			}),
			add(routes, {
				method: "GET",
				path: "/careless",
				access: "public",
				summary: "Begins what fails.",
				handle() {
					void lost();
					return new Response("begun");
				},
			}),
		] };
	},
});
`;

const writeConfig = (): string => {
	const file = join(folder, "careless.ts");
	writeFileSync(file, plugin);
	const config = join(folder, "portico.yaml");
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		{ use: file },
	];
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins }));
	return config;
};

const start = async () => {
	const portico = await startProcess(folder, writeConfig());
	const { key } = portico;
	const ask = async () => {
		const response = await fetch(`${portico.address}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }] }),
		});
		await response.text();
		return response.status;
	};
	return { portico, ask };
};

test("they are logged with their place, and calls go on", async () => {
	const { portico, ask } = await start();
	expect(await ask()).toBe(200);
	expect(portico.output()).toMatch(/nobody waited for.*: Error: thrown while it was loaded at [^ ]*careless\.ts/);
	expect(portico.output()).toMatch(/nobody waited for.*: Error: nobody waits for this at [^ ]*careless\.ts/);
	await portico.says(/a recorder failed/);
	expect(await (await fetch(`${portico.address}/careless`)).text()).toBe("begun");
	await portico.says(/"error":"Error: nobody waits for this"/);
	expect(portico.output()).toMatch(/"error":"Error: nobody waits for this","at":"[^"]*careless\.ts/);
	expect(await (await fetch(`${portico.address}/timer`)).text()).toBe("set");
	await portico.says(/thrown by a timer/);
	expect(portico.output()).toMatch(/"error":"Error: thrown by a timer","at":"[^"]*careless\.ts/);
	expect(await ask()).toBe(200);
	expect(await portico.end("SIGTERM")).toBe(0);
}, 30_000);

test("a command does its work, and tells of them", async () => {
	const words = ["token", "create", "--name", "alice", "--config", writeConfig()];
	const { code, output, errors } = await runCommand(folder, words);
	expect([code, output, errors]).toEqual([
		0,
		expect.stringContaining("sk-"),
		expect.stringContaining("nobody waited for, most likely in a plugin: Error: nobody waits for this at "),
	]);
}, 30_000);
