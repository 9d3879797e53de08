/** The packed file, and what it is to be installed from it in an empty folder as strangers do. */
import { expect } from "bun:test";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** A folder of its own beneath the temporary one, readable by every user. */
export const emptyFolder = (name: string): string => {
	const folder = mkdtempSync(join(tmpdir(), `portico-${name}-`));
	execFileSync("chmod", ["755", folder]);
	return folder;
};

/** The packed file that `PORTICO_PACKED` names; else packs this checkout, once for all files of a run. */
export const pack = (): string => {
	const given = process.env["PORTICO_PACKED"];
	if (given !== undefined) return given;
	const folder = emptyFolder("packed");
	process.once("exit", () => remove(folder));
	const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root, encoding: "utf8" });
	const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[\n"))) as [{ filename: string }];
	process.env["PORTICO_PACKED"] = join(folder, filename);
	return join(folder, filename);
};

/** The folder of a Node of that version: the one that runs here where it fits, or else of its own package. */
export const nodeFolder = (folder: string, version: string): string => {
	const [here = "", found = ""] = execFileSync("node", ["-p", "process.execPath + '\\n' + process.versions.node"], {
		encoding: "utf8",
	}).split("\n");
	if (found.split(".")[0] === version) return join(here, "..");
	const home = join(folder, `node-${version}`);
	mkdirSync(home, { recursive: true });
	execFileSync("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `node@${version}`], { stdio: "ignore" });
	return join(home, "node_modules/node/bin");
};

interface Installing {
	readonly archive: string;
	/** Made for it; `node_modules` beneath it. */
	readonly folder: string;
	readonly flags?: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
}

/** Runs `npm install` of it; what npm says must be free of complaints about engines. */
export const install = ({ archive, folder, flags = ["--omit=dev"], env = process.env }: Installing): void => {
	mkdirSync(folder, { recursive: true });
	if (!flags.includes("--global")) writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
	const words = ["install", ...flags, "--prefix", folder, "--no-audit", "--no-fund", archive];
	const { status, stderr } = spawnSync("npm", words, { cwd: folder, encoding: "utf8", env });
	expect({ status, said: stderr }).toMatchObject({ status: 0 });
	expect(stderr).not.toContain("EBADENGINE");
};

interface Starting {
	/** Program and words: `portico`, or what makes a room for it first. */
	readonly command: readonly string[];
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	/** The folder that the greeting must name as the home of its data. */
	readonly data: string;
}

/** What the `curl` of a greeting is answered; undefined while there is none yet. The greeting must say where its data is. */
export const askedAsGreeted = (greeting: string, data: string): unknown => {
	const curl = /^ {2}(curl .*)\n/m.exec(greeting)?.[1];
	if (curl === undefined) return undefined;
	expect(greeting).toContain(`data          in ${data}`);
	return JSON.parse(execFileSync("sh", ["-c", `${curl} -s`], { encoding: "utf8" }));
};

/** Starts it, asks by the `curl` of its greeting, and ends it. */
export const firstAnswer = async ({ command, cwd, env, data }: Starting): Promise<unknown> => {
	const [program = "", ...words] = command;
	const child = spawn(program, words, { cwd, stdio: ["ignore", "pipe", "pipe"], env: { ...env, PORTICO_PORT: "0" } });
	const ended = new Promise((resolve) => child.once("exit", resolve));
	let errors = "";
	child.stderr.on("data", (piece) => {
		errors += String(piece);
	});
	try {
		let greeting = "";
		for await (const piece of child.stdout) {
			greeting += String(piece);
			const answer = askedAsGreeted(greeting, data);
			if (answer !== undefined) return answer;
		}
		throw new Error(`it ended:\n${greeting}${errors}`);
	} finally {
		child.kill("SIGTERM");
		await ended;
	}
};

/** What a whole first answer looks like. */
export const anAnswer = { choices: [{ message: { role: "assistant" } }] };

/** What holds whole installations is not always gone within the usual five seconds. */
export const removalMs = 60_000;

/** Removes what tests have made, files of other users too. */
export const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });
