/**
 * The programs that `portico connect … --write` sets up, each asked once as its users do. Those that are installed are run:
 * on the path, or in `node_modules/.bin` of the folder that `PORTICO_CLIENTS` names.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { asRecord, parseJson } from "../../core/neutral/json.ts";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";

const places = (process.env["PORTICO_CLIENTS"] ?? "").split(delimiter).filter((place) => place !== "");
const path = [...places.map((place) => join(place, "node_modules/.bin")), process.env["PATH"] ?? ""].join(delimiter);

interface Program {
	/** What `portico connect` calls it. */
	readonly name: string;
	readonly program: string;
	readonly words: readonly string[];
	/** What it speaks to the gateway. */
	readonly protocol: string;
}

const prompt = "Say hello please";
const programs: readonly Program[] = [
	{ name: "claude-code", program: "claude", words: ["-p", prompt], protocol: "messages" },
	{ name: "codex", program: "codex", words: ["exec", "--skip-git-repo-check", prompt], protocol: "responses" },
	{
		name: "gemini-cli",
		program: "gemini",
		words: ["--skip-trust", "-m", "demo", "-p", prompt],
		protocol: "generate-content",
	},
	{ name: "opencode", program: "opencode", words: ["run", prompt], protocol: "chat-completions" },
];

let folder: string;
let portico: PorticoProcess;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-clients-"));
	portico = await startProcess(folder, undefined, { PORTICO_PORT: "0" });
});
afterAll(async () => {
	await portico.end("SIGTERM");
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

/** Nothing of this machine's own settings and keys, only what was written for it. */
const run = ({ program, words }: Program, home: string, environment: Record<string, string>): Promise<string> =>
	new Promise((resolve) => {
		const work = join(home, "work");
		mkdirSync(work, { recursive: true });
		const child = spawn(program, words, {
			cwd: work,
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: path, HOME: home, TERM: "dumb", ...environment },
		});
		let said = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (piece) => {
				said += String(piece);
			});
		child.once("close", () => resolve(said));
	});

const callsIn = (log: string) =>
	log
		.split("\n")
		.map((line) => asRecord(parseJson(line)))
		.filter(({ msg }) => msg === "call");

for (const program of programs) {
	const isThere = Bun.which(program.program, { PATH: path }) !== null;
	test.skipIf(!isThere)(
		`${program.name}, told by what portico connect writes, gets its answer`,
		async () => {
			const home = join(folder, program.name);
			mkdirSync(home);
			const before = callsIn(portico.output()).length;
			const words = ["connect", program.name, "--write", "--key", portico.key ?? "", "--model", "demo"];
			const written = await runCommand(folder, [...words, "--address", portico.address], { HOME: home });
			expect(written.code).toBe(0);
			const left = [...written.output.matchAll(/^ {2}export (\w+)=(\S+)$/gm)];
			const said = await run(program, home, Object.fromEntries(left.map(([, name = "", value = ""]) => [name, value])));
			expect(said).toContain("This is the demo model of Portico speaking");
			const calls = callsIn(portico.output()).slice(before);
			expect(calls).toContainEqual(expect.objectContaining({ protocol: program.protocol, model_requested: "demo" }));
			expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
		},
		90_000,
	);
}
