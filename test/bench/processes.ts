/** Processes under measurement, and what the operating system says of them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** Clock ticks a second, by which the kernel counts processor time. */
const ticks = Number(execFileSync("getconf", ["CLK_TCK"]).toString());

export interface Measured {
	readonly url: string;
	readonly pid: number;
	/** Resolves when it has ended and written what it had to. */
	stop(): Promise<void>;
}

/** Starts a program with Bun; resolves when its output tells a port (`listening N`, `…127.0.0.1:N`). */
export const start = (
	words: readonly string[],
	options: {
		readonly cwd?: string;
		readonly env?: Readonly<Record<string, string>>;
		/** The file its standard error goes to; ours unless said. */
		readonly log?: number;
		/** The one processor core that it, and what it starts, may use. */
		readonly core?: number | undefined;
	} = {},
): Promise<Measured & { readonly output: () => string }> =>
	new Promise((resolve, reject) => {
		const pinned = options.core === undefined ? [] : ["taskset", "-c", String(options.core)];
		const [program = "", ...rest] = [...pinned, process.execPath, ...words];
		const child: ChildProcess = spawn(program, rest, {
			cwd: options.cwd,
			env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336", ...options.env },
			stdio: ["ignore", "pipe", options.log ?? "inherit"],
		});
		let output = "";
		const ended = new Promise<void>((over) => child.once("exit", () => over()));
		child.stdout?.on("data", (data) => {
			output += String(data);
			const port = /(?:listening |127\.0\.0\.1:)(\d+)/.exec(output)?.[1];
			if (port !== undefined)
				resolve({
					url: `http://127.0.0.1:${port}`,
					pid: child.pid ?? 0,
					stop: () => {
						child.kill("SIGTERM");
						return ended;
					},
					output: () => output,
				});
		});
		child.once("exit", (code) => reject(new Error(`${words.join(" ")} ended with ${code}`)));
	});

const ownMicros = (pid: number): number => {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return ((Number(fields[11]) + Number(fields[12])) / ticks) * 1e6;
};

const childrenOf = (pid: number): readonly number[] =>
	readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** Processor time used so far, in microseconds, by the process with all its threads, and by processes it has started. */
export const processorMicros = (pid: number): number =>
	childrenOf(pid).reduce((sum, child) => sum + processorMicros(child), ownMicros(pid));

/** Resident memory, in bytes. */
export const memoryBytes = (pid: number): number =>
	Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;

/** What a program prints, run to its end. It may end with 1, which says that it is over its budget. */
export const runToItsEnd = (file: string, words: readonly string[]): Promise<string> =>
	new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "inherit"] });
		let output = "";
		child.stdout.on("data", (data) => {
			output += String(data);
		});
		child.once("close", (code) => {
			if (code === 0 || code === 1) resolve(output);
			else reject(new Error(`${file} ended with ${code}`));
		});
	});
