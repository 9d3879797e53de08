/**
 * What the README and `docs/` show runs: commands in a folder of their page, in their order, configs through `portico check`.
 * A command that wants what a test cannot have is held to the check that stands for it, each named in `standIns`.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { freePort, type Sqld, sqldProgram, startSqld } from "../support/sqld.ts";
import { commandsIn, docPages, type Fence, fencesOf } from "./fences.ts";

const root = resolve(import.meta.dir, "../..");
const peppers = { PEPPER: "p".repeat(32), OLD_PEPPER: "o".repeat(32) };
const keys = { OPENAI_API_KEY: "k-of-a-test", SQLD_TOKEN: "t-of-a-test", VENDOR_KEY: "v-of-a-test", ...peppers };
let folder: string;
/** The key of the page's first token, which stands where a page says `KEY`. */
let firstKey = "";
/** The database server of the page. */
let sqld: Sqld | undefined;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-fences-"));
});
afterAll(async () => {
	for (const child of servers) await new Promise((ended) => child.once("exit", ended).kill("SIGKILL"));
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

/** A part of this checkout's `package.json`. */
const packed = (part: "scripts" | "devDependencies"): Record<string, string> =>
	JSON.parse(readFileSync(join(root, "package.json"), "utf8"))[part];

/** What stands for a command that is not run here. */
const standIns: readonly (readonly [command: RegExp, check: (command: string) => void])[] = [
	// The suite itself.
	[/^npm install && npm test$/, () => expect(packed("scripts")).toHaveProperty("test")],
	// `test/process/connect.long.ts` gives these to the libraries, and runs the `curl`.
	[/^(export [A-Z_]+=|curl |cline auth )/, (command) => expect(spawnSync("sh", ["-n", "-c", command]).status).toBe(0)],
	// `test/slow/package-plugins.long.ts` compiles plugins of every kind against the packed package, with these two from here.
	[
		/^npm install --save-dev typescript @types\/bun$|^npx tsc -p \.\/night-watch$/,
		() => expect(Object.keys(packed("devDependencies"))).toEqual(expect.arrayContaining(["@types/bun", "typescript"])),
	],
];

/** The servers that a page starts stay, for its next command may want them. */
const servers: ChildProcess[] = [];
/** Addresses of other machines, each a free port of this one. */
const ports = new Map<string, Promise<number>>();

const portFor = (address: string): Promise<number> => {
	const port = ports.get(address) ?? freePort();
	ports.set(address, port);
	return port;
};

/** A database server as it is shown, on this machine; it has to answer. */
const runSqld = async (home: string, command: string): Promise<void> => {
	const program = sqldProgram();
	if (program === undefined) return;
	let local = command.replace("/var/lib/sqld", join(home, `sqld-${servers.length}`)).replace("sqld ", `${program} `);
	for (const [address] of command.matchAll(/10\.0\.0\.\d:\d+/g))
		local = local.replace(address, `127.0.0.1:${await portFor(address)}`);
	const [, listens] = /--http-listen-addr (\S+)/.exec(local) ?? [];
	const child = spawn("sh", ["-c", local.replace(program, `exec ${program}`)], { stdio: "ignore" });
	servers.push(child);
	for (const began = performance.now(); performance.now() - began < 60_000; ) {
		const answer = await fetch(`http://${listens}/health`).catch(() => undefined);
		if (answer?.ok) return;
		expect([command, child.exitCode]).toEqual([command, null]);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`it did not answer: ${local}`);
};

/** `npm start` in this checkout, with a config and a database of the page. */
const runStart = async (home: string): Promise<void> => {
	const config = join(home, "portico.yaml");
	const child = spawn("npm", ["start"], {
		cwd: root,
		// Of a group of its own, which ends as a whole: npm does not hand on that it is to end.
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
		env: { ...process.env, ...keys, PORTICO_CONFIG: config, PORTICO_PORT: "0" },
	});
	let said = "";
	const serves = /serves at http:\S+\n/;
	await new Promise<void>((done) => {
		child.once("exit", () => done());
		child.stdout.on("data", (piece) => {
			said += String(piece);
			if (serves.test(said)) done();
		});
	});
	expect(said).toMatch(serves);
	const closed = new Promise((ended) => child.stdout.once("close", ended));
	process.kill(-(child.pid ?? 0), "SIGTERM");
	await closed;
};

/** `npm` with a package that lies in the folder of the page; nothing is fetched for it. */
const runNpm = async (home: string, command: string): Promise<void> => {
	const words = [...command.split(" ").slice(1), "--offline", "--no-audit", "--no-fund"];
	const { status, stderr } = spawnSync("npm", words, { cwd: home, encoding: "utf8" });
	expect({ command, status, stderr }).toMatchObject({ status: 0 });
};

/** The tests of the page's plugin on Deno, which the PATH of a test has not. */
const runOnDeno = async (home: string, command: string): Promise<void> => {
	const words = command.split(" ").slice(2);
	const { NODE_CHANNEL_FD: _, ...env } = process.env;
	const deno = [join(root, "node_modules/.bin/deno"), "run", "-A", join(root, "bin/portico.mjs")] as const;
	const { status, stdout, stderr } = spawnSync(deno[0], [...deno.slice(1), ...words], {
		cwd: home,
		env: { ...env, NO_COLOR: "1" },
		encoding: "utf8",
	});
	// The contract, and a call.
	expect({ command, status, said: stdout + stderr }).toMatchObject({
		status: 0,
		said: expect.stringContaining("2 passed"),
	});
};

/** What is run in a way of its own. */
const own: readonly (readonly [command: RegExp, run: (home: string, command: string) => Promise<void>])[] = [
	[/^npm install && npm start$/, runStart],
	[/^([A-Z_]+=\S+ )?sqld /, runSqld],
	[/^npm (pack|install) \.\//, runNpm],
	[/^npx portico deno /, runOnDeno],
];

/** A command's words, as a shell divides them. */
const wordsOf = (command: string): readonly string[] =>
	spawnSync("sh", ["-c", `set -f; printf '%s\\n' ${command}`], { encoding: "utf8" })
		.stdout.trimEnd()
		.split("\n");

/** Addresses of a machine, and a token's key and name, as they are in the folder of the page. */
const here = (home: string, text: string): string =>
	text
		.replaceAll("/etc/portico/portico.yaml", join(home, "portico.yaml"))
		.replaceAll("/backups", join(home, "backups"))
		.replace(/\bKEY\b/, firstKey)
		.replace(/\bNAME\b/, "'first token'");

const runPortico = async (home: string, words: readonly string[]): Promise<void> => {
	if (words[0] !== "serve") {
		const { code, errors } = await runCommand(home, words, keys);
		expect({ words, code, errors }).toMatchObject({ code: 0 });
		return;
	}
	const several = words.includes("--workers");
	if (several && sqld === undefined) return;
	const config = several ? join(home, "server.yaml") : join(home, "portico.yaml");
	const rest = several ? words.slice(1, words.indexOf("--config")) : [];
	const process = await startProcess(home, config, { ...keys, PORTICO_PORT: "0" }, rest);
	expect(await process.end("SIGTERM")).toBe(0);
};

const runShell = async (home: string, fence: Fence): Promise<void> => {
	for (const command of commandsIn(fence)) {
		const [, portico] = /^(?:npx )?portico (.*)$/.exec(here(home, command)) ?? [];
		const [, run] = own.find(([pattern]) => pattern.test(command)) ?? [];
		if (run !== undefined) await run(home, command);
		else if (portico !== undefined) await runPortico(home, wordsOf(portico));
		else {
			const standIn = standIns.find(([pattern]) => pattern.test(command));
			expect([command, standIn !== undefined]).toEqual([command, true]);
			standIn?.[1](command);
		}
	}
};

/** Pages whose commands are those of the config above them. */
const oneConfig: readonly string[] = ["README.md"];

const checkConfig = async (home: string, { page, text }: Fence): Promise<void> => {
	writeFileSync(join(home, "shown.yaml"), text);
	if (oneConfig.includes(page)) writeFileSync(join(home, "portico.yaml"), text);
	const { code, errors } = await runCommand(home, ["check", "--config", "shown.yaml"], keys);
	expect({ code, errors }).toMatchObject({ code: 0 });
};

/** Comments are whole lines of their own there. */
const withoutComments = (text: string): string => text.replace(/^\s*(#|\/\/).*$/gm, "");

/** What a client's own file is read as. */
const readers: readonly (readonly [file: RegExp, read: (text: string) => unknown])[] = [
	[/\.json$/, JSON.parse],
	[/\.ya?ml$/, (text) => parse(text)],
	[/\.toml$/, (text) => Bun.TOML.parse(text)],
];

/** A block of `portico connect`: files, each with its name, and what goes into a shell. */
const checkClient = async (home: string, fence: Fence): Promise<void> => {
	for (const part of fence.text.split(/^(?=# (?:in|run)\b)/m)) {
		const [, file = ""] = /^# in (\S+)$/m.exec(part) ?? [];
		const reader = readers.find(([name]) => name.test(file));
		if (reader) expect(typeof reader[1](withoutComments(part))).toBe("object");
		else await runShell(home, { ...fence, text: part });
	}
};

const checks: Readonly<Record<string, (home: string, fence: Fence) => void | Promise<void>>> = {
	sh: runShell,
	yaml: checkConfig,
	// `test/contract/plugins-page.test.ts` loads each plugin and makes the call that it refuses, runs the test of one, and has a service given.
	ts: (_, { text }) => expect(text).toMatch(/definePlugin\(|from "node:test"|= service</),
	// Words for people: usages, which `npm run docs` takes from the commands themselves, and steps in other programs.
	text: (_, { text }) => expect(text.trim()).not.toBe(""),
	"": (_, { text }) => expect(text).not.toMatch(/^\s*(portico|npx|npm|curl) /m),
};

describe.each(docPages.filter((page) => fencesOf(page).length > 0))("%s", (page) => {
	let home: string;
	beforeAll(async () => {
		home = join(folder, page.replaceAll("/", "-"));
		mkdirSync(join(home, "backups"), { recursive: true });
		expect((await runCommand(home, ["init"], { ...keys, OPENAI_API_KEY: "" })).code).toBe(0);
		// Commands need a database, and no server that has it open.
		const process = await startProcess(home, join(home, "portico.yaml"), { PORTICO_PORT: "0" });
		firstKey = process.key ?? "";
		await process.end("SIGTERM");
		copyFileSync(join(home, "portico.yaml"), join(home, "file.yaml"));
		const program = sqldProgram();
		sqld = program === undefined ? undefined : await startSqld(program, home);
		const url = sqld?.url ?? "http://127.0.0.1:1";
		const server = readFileSync(join(home, "portico.yaml"), "utf8").replace(/"file:[^"]*"/, JSON.stringify(url));
		writeFileSync(join(home, "server.yaml"), server);
	}, 60_000);
	afterAll(() => sqld?.close());

	for (const fence of fencesOf(page)) {
		const needsServer = fence.text.includes("server.yaml");
		test.skipIf(needsServer && sqldProgram() === undefined)(
			`line ${fence.line}, ${fence.language}`,
			async () => {
				const ofClients = page === "docs/clients.md" && fence.language !== "text";
				const check = ofClients ? checkClient : checks[fence.language];
				expect([fence.language, check !== undefined]).toEqual([fence.language, true]);
				await check?.(home, fence);
			},
			60_000,
		);
	}
});

test("no command stands in a block that is only indented", () => {
	for (const page of docPages)
		expect(readFileSync(join(root, page), "utf8")).not.toMatch(/^ {4}(portico|npx|npm|curl|sqld) /m);
});
