/** Boots a root file system under a systemd of its own, with the shipped unit in it, and halts it in order. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { entering } from "./roots.ts";

const shipped = resolve(import.meta.dir, "../../config/portico.service");

interface Container {
	/** Waits for what the log of the unit tells. */
	said<T>(found: (log: string) => T | undefined): Promise<T>;
	/** Runs a command inside. */
	command(...words: readonly string[]): void;
}

/** As the unit's first lines say. */
const prepare = (root: string): void => {
	mkdirSync(join(root, "etc/portico"), { recursive: true });
	rmSync(join(root, "etc/portico/portico.yaml"), { force: true });
	const [enter = "", ...words] = [...entering(root, "/etc/portico"), "portico", "init"];
	execFileSync(enter, words, { env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/bin" }, stdio: "ignore" });
	const config = join(root, "etc/portico/portico.yaml");
	const text = readFileSync(config, "utf8")
		.replace("port: 8787 }", "port: 0, dataFolder: /var/lib/portico }")
		.replace("file:data/portico.db", "file:/var/lib/portico/portico.db");
	writeFileSync(config, text);
	const units = join(root, "etc/systemd/system");
	copyFileSync(shipped, join(units, "portico.service"));
	rmSync(join(units, "multi-user.target.wants/portico.service"), { force: true });
	symlinkSync("../portico.service", join(units, "multi-user.target.wants/portico.service"));
	for (const old of ["var/lib/private/portico", "var/log/journal"])
		rmSync(join(root, old), { recursive: true, force: true });
	mkdirSync(join(root, "var/log/journal"));
};

const mostMilliseconds = 60_000;

const until = async <T>(found: () => T | undefined, told: () => string): Promise<T> => {
	for (const began = performance.now(); performance.now() - began < mostMilliseconds; ) {
		const result = found();
		if (result !== undefined) return result;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	throw new Error(`it did not come to that:\n${told()}`);
};

const logOf = (root: string): string =>
	spawnSync("journalctl", ["--root", root, "--unit", "portico", "--output", "cat"], { encoding: "utf8" }).stdout;

/** Gives the whole log of the unit when all has stopped. */
export const inContainer = async (root: string, body: (container: Container) => Promise<void>): Promise<string> => {
	prepare(root);
	const words = ["--quiet", "--boot", "--register=no", "--keep-unit", "--directory", root];
	const child = spawn("systemd-nspawn", words, { stdio: "ignore" });
	const ended = new Promise((done) => child.once("exit", done));
	/** The first process inside; killing it ends all others there. */
	const inside = async (): Promise<string> =>
		await until(
			() => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0] || undefined,
			() => "systemd-nspawn started nothing",
		);
	const init = await inside();
	try {
		await body({
			said: (found) =>
				until(
					() => found(logOf(root)),
					() => logOf(root),
				),
			command: (...inner) => {
				execFileSync("nsenter", ["--target", init, "--all", ...inner], { stdio: "ignore" });
			},
		});
	} finally {
		child.kill("SIGTERM");
		const late = setTimeout(() => process.kill(Number(init), "SIGKILL"), mostMilliseconds);
		await ended;
		clearTimeout(late);
	}
	return logOf(root);
};
