/** `portico connect`: what it prints is what the official libraries accept, and what it writes stays beside what was there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients } from "../../core/connect/clients.ts";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";

let folder: string;
let file: string;
let portico: PorticoProcess;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-connect-"));
	portico = await startProcess(folder, undefined, { PORTICO_PORT: "0" });
	file = join(folder, "other.yaml");
	const router = { use: "router", with: { models: [{ name: "m-1", targets: [{ upstream: "demo" }] }] } };
	const plugins = ["chat-completions", "responses", "messages", "generate-content", "demo"].map((use) => ({ use }));
	// A gateway of its own, which does not run.
	const server = { host: "0.0.0.0", port: 9123, dataFolder: "other" };
	const database = { url: "file:other/portico.db" };
	writeFileSync(file, JSON.stringify({ server, database, plugins: [...plugins, router] }));
});
afterAll(async () => {
	await portico.end("SIGTERM");
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

/** What a shell prints that was given the variables by `eval "$(portico connect …)"`. */
const inShell = (lines: string, program: string): Promise<string> =>
	new Promise((resolve) => {
		const words = ["-c", `${lines}\nexec "$BUN" -e "$PROGRAM"`];
		const child = spawn("sh", words, {
			cwd: join(import.meta.dir, "../.."),
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"], BUN: process.execPath, PROGRAM: program },
		});
		let text = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (data) => {
				text += String(data);
			});
		child.once("close", () => resolve(text));
	});

const programs = {
	openai: `import OpenAI from "openai";
		const answer = await new OpenAI().chat.completions.create({ model: "demo", messages: [{ role: "user", content: "Hi" }] });
		console.log("said", answer.choices[0].message.content);`,
	anthropic: `import Anthropic from "@anthropic-ai/sdk";
		const answer = await new Anthropic().messages.create({ model: "demo", max_tokens: 99, messages: [{ role: "user", content: "Hi" }] });
		console.log("said", answer.content[0].text);`,
	google: `import { GoogleGenAI } from "@google/genai";
		const answer = await new GoogleGenAI({}).models.generateContent({ model: "demo", contents: "Hi" });
		console.log("said", answer.text);`,
	"ai-sdk": `import { generateText } from "ai";
		import { anthropic } from "@ai-sdk/anthropic";
		import { openai } from "@ai-sdk/openai";
		for (const model of [openai("demo"), anthropic("demo")]) console.log("said", (await generateText({ model, prompt: "Hi" })).text);`,
};

describe("what it prints", () => {
	test.each(Object.entries(programs))(
		"%s: the library, told by nothing else, gets its answer",
		async (name, program) => {
			const words = ["connect", name, "--key", portico.key ?? "", "--address", portico.address];
			const { code, output } = await runCommand(folder, words);
			expect(code).toBe(0);
			expect(await inShell(output, program)).toMatch(/^said .*demo/);
		},
	);

	test("curl: the line works as it is", async () => {
		const words = ["connect", "curl", "--key", portico.key ?? "", "--address", portico.address];
		const { output } = await runCommand(folder, words);
		expect(await inShell(`${output} -s; echo`, "")).toContain('"role":"assistant"');
	});

	test.each(clients.map(({ name }) => name))("%s: needs neither token nor server, and makes nothing", async (name) => {
		const { code, output, errors } = await runCommand(folder, ["connect", name, "--config", file]);
		expect({ code, errors }).toEqual({ code: 0, errors: "" });
		expect(output).toContain("http://127.0.0.1:9123");
		expect(readdirSync(folder).toSorted()).toEqual(["data", "other.yaml"]);
	});

	test.each([
		[["claude"], 'there is no client "claude" (did you mean "claude-code"?); there are: claude-code, codex'],
		[["codx"], 'there is no client "codx" (did you mean "codex"?)'],
		[["zzzz"], 'there is no client "zzzz"; there are: '],
		[["codex", "extra"], 'portico connect takes one name, not "extra" too'],
		[
			["codex", "--address", "gateway"],
			'--address must be a web address such as https://portico.example.com, not "gateway"',
		],
		[["codex", "--wirte"], 'there is no option "--wirte" here (did you mean "--write"?)'],
	])("%j is refused", async (words, message) => {
		const { code, errors } = await runCommand(folder, ["connect", ...words]);
		expect(code).toBe(1);
		expect(errors).toStartWith(message);
	});

	test("without a name the clients are listed, for a terminal of 80 columns", async () => {
		const { output } = await runCommand(folder, ["connect"]);
		expect(output).toContain("  claude-code    Claude Code\n");
		expect(output.split("\n").filter(({ length }) => length > 80)).toEqual([]);
	});

	test("the route for pages gives the same text", async () => {
		const token = readFileSync(join(folder, "data/admin-token"), "utf8").trim();
		const ask = (query: string) =>
			fetch(`${portico.address}/admin/clients${query}`, { headers: { authorization: `Bearer ${token}` } });
		const answer = (await (await ask("?address=https://gw.example.com&model=m-1")).json()) as {
			data: { name: string; text: string }[];
		};
		const { data } = answer;
		const words = ["connect", "codex", "--config", file, "--address", "https://gw.example.com"];
		expect(data.find(({ name }) => name === "codex")?.text).toBe((await runCommand(folder, words)).output.trim());
		const named = (await (await ask("?key=$PORTICO_KEY&model=m-1")).json()) as typeof answer;
		const curl = named.data.find(({ name }) => name === "curl")?.text ?? "";
		expect(curl).toContain('-H "authorization: Bearer $PORTICO_KEY"');
		expect(curl).toContain('{"model":"m-1"');
		for (const query of ["?address=javascript:1", "?key=sk-0123456789abcdef", "?key=a"])
			expect((await ask(query)).status).toBe(400);
	});
});

test("--write puts it into the client's own file and says what it did", async () => {
	const home = join(folder, "home");
	mkdirSync(join(home, ".claude"), { recursive: true });
	const settings = join(home, ".claude/settings.json");
	writeFileSync(settings, '{"model":"opus"}');
	const words = ["connect", "claude-code", "--write", "--key", "sk-1", "--config", file];
	const { code, output } = await runCommand(folder, words, { HOME: home });
	expect({ code, output }).toEqual({ code: 0, output: `wrote ${settings}; as it was: ${settings}.before-portico\n` });
	expect(JSON.parse(readFileSync(settings, "utf8"))).toMatchObject({
		model: "opus",
		env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9123", ANTHROPIC_AUTH_TOKEN: "sk-1", ANTHROPIC_MODEL: "m-1" },
	});
	const cursor = await runCommand(folder, ["connect", "cursor", "--write", "--config", file], { HOME: home });
	expect(cursor.output).toStartWith("left to you:\n  Open Cursor Settings");
	expect(existsSync(join(home, ".cursor"))).toBe(false);
	rmSync(home, { recursive: true });
});
