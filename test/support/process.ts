/** Portico as a process of its own, started by its launcher as an operator would. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export const launcher = join(import.meta.dir, "../../bin/portico.mjs");

export interface PorticoProcess {
	readonly address: string;
	/** The first token, when this start made one. */
	readonly key: string | undefined;
	/** Everything written so far. */
	output(): string;
	/** Resolves once the output holds this. */
	says(pattern: RegExp): Promise<void>;
	/** Sends a signal to the launcher; resolves with the exit code. */
	end(signal: NodeJS.Signals): Promise<number | null>;
	readonly ended: Promise<number | null>;
}

/** Runs one command to its end. */
export const runCommand = (
	folder: string,
	words: readonly string[],
	environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }> =>
	new Promise((resolve) => {
		const child = spawn("node", [launcher, ...words], {
			cwd: folder,
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...process.env, ...environment },
		});
		let output = "";
		let errors = "";
		child.stdout.on("data", (data) => {
			output += String(data);
		});
		child.stderr.on("data", (data) => {
			errors += String(data);
		});
		child.once("close", (code) => resolve({ code, output, errors }));
	});

const waitFor = (child: ChildProcess, text: () => string, pattern: RegExp): Promise<string> =>
	new Promise((resolve, reject) => {
		const look = (): void => {
			const found = pattern.exec(text())?.[1];
			if (found !== undefined) resolve(found);
		};
		for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
		child.once("close", (code) => reject(new Error(`Portico ended with ${code}:\n${text()}`)));
		look();
	});

const running = new Set<ChildProcess>();

/** Ends what a failed test left running: `afterAll(endProcesses)`. Portico ends when its launcher does. */
export const endProcesses = async (): Promise<void> => {
	await Promise.all([...running].map((child) => new Promise((ended) => child.once("exit", ended).kill("SIGKILL"))));
};

/** Starts `portico serve` in a folder; resolves once it serves. Use port 0 in the config. */
export const startProcess = async (
	folder: string,
	config: string | undefined,
	environment: Readonly<Record<string, string>> = {},
	words: readonly string[] = [],
	/** What runs the launcher: Node unless said, such as `prlimit --data=… node`. */
	starter: readonly string[] = ["node"],
): Promise<PorticoProcess> => {
	const [program = "node", ...rest] = [
		...starter,
		launcher,
		"serve",
		...(config === undefined ? [] : ["--config", config]),
		...words,
	];
	const child = spawn(program, rest, {
		cwd: folder,
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, ...environment },
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.on("data", (data) => {
			output += String(data);
		});
	running.add(child);
	child.once("exit", () => running.delete(child));
	const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
	// The address is the first line; the greeting with the token ends with an empty one.
	const address = await waitFor(child, () => output, /serves at (https?:\S+)\n/);
	await new Promise((resolve) => setImmediate(resolve));
	return {
		address,
		get key() {
			return /first token\s+(sk-\w+)/.exec(output)?.[1];
		},
		output: () => output,
		says: async (pattern) => {
			await waitFor(child, () => output, new RegExp(`(${pattern.source})`));
		},
		end(signal) {
			child.kill(signal);
			return ended;
		},
		ended,
	};
};
