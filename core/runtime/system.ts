/** The few things asked of the operating system, in one place because Bun and Deno name them differently. */

import { fork } from "node:child_process";
import { availableParallelism, constants, totalmem } from "node:os";
import { environmentOfOthers } from "./share-core.ts";

/** Another process of this program. */
export interface OtherProcess {
	readonly pid: number;
	/** Its exit code; 128 and more when a signal ended it. */
	readonly ended: Promise<number>;
	tell(signal: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGKILL"): void;
	/** Says something that it hears by `hearStarter`; nothing happens when it has ended. */
	say(message: Readonly<Record<string, unknown>>): void;
}

/** The variables Portico was started with. */
export const environment = (): Readonly<Record<string, string | undefined>> => process.env;

/**
 * Takes proxy settings out of the environment: Bun's `fetch` obeys them silently, and a gateway that reaches its
 * upstreams by way of whatever the shell named is a surprise. Config names a proxy when one is wanted.
 */
export const forgetProxies = (): void => {
	for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"])
		delete process.env[name];
};

/**
 * Makes Bun open early what it sends requests with. It does so at the first request, and ends the process if no file
 * descriptor is left then, as after a start that many clients waited for. Nobody can listen at port 0, so nothing is sent.
 */
export const readyToSend = async (): Promise<void> => {
	await fetch("http://127.0.0.1:0").catch(() => undefined);
};

/** What this process makes from now on is for its own user alone, whichever part or library makes it: folders 0700, files 0600. */
export const makeFilesPrivate = (): void => {
	process.umask(0o077);
};

/** The runtime and its version: `Bun 1.4.5`. */
export const runtimeName = (): string => {
	const { bun, deno, node } = process.versions;
	if (bun !== undefined) return `Bun ${bun}`;
	return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
};

/** How many workers there are, as the process that starts them tells each. */
const workerCount = "PORTICO_WORKERS_COUNT";

/** What one of so many workers is started with besides. */
export const environmentOfOneOf = (count: number): Readonly<Record<string, string>> => ({
	[workerCount]: String(count),
});

/** Bytes of memory that this process may use: the machine's, or less where it was given less; of several workers each its part. */
export const memoryBytes = (): number => {
	const given = process.constrainedMemory?.() ?? 0;
	const all = given > 0 ? Math.min(given, totalmem()) : totalmem();
	return Math.floor(all / Math.max(1, Number(process.env[workerCount]) || 1));
};

/** Asks the runtime to let go of what nobody needs any more, which takes some tens of milliseconds; Deno sees to it by itself. */
export const collectGarbage = (): void => {
	if (!("Deno" in globalThis)) Bun.gc(true);
};

/** Processor cores that this process may use. */
export const coreCount = (): number => availableParallelism();

/** Calls `action` when the process is told one of these; returns what ends that. */
export const onSignal = (signal: "SIGTERM" | "SIGINT" | "SIGHUP", action: () => void): (() => void) => {
	process.on(signal, action);
	return () => process.off(signal, action);
};

/** A signal that neither ends this process nor is lost before there is anything to do about it. */
export interface HeldSignal {
	/** Calls `action` from now on, and once for what came before; returns what ends that. */
	act(action: () => void): () => void;
}

export const holdSignal = (signal: "SIGHUP"): HeldSignal => {
	let came = false;
	const end = onSignal(signal, () => {
		came = true;
	});
	return {
		act(action) {
			const off = onSignal(signal, action);
			end();
			if (came) action();
			return off;
		},
	};
};

let hears: ((error: unknown) => void) | undefined;

/**
 * Calls `heard` when something fails that nobody waits for, a promise or a timer; without it that ends the process, and
 * every call of every client with it for one plugin's mistake. Whoever asked last is told.
 */
export const onStrayFailure = (heard: (error: unknown) => void): void => {
	const tell = (error: unknown): void => hears?.(error);
	if (!hears) for (const event of ["unhandledRejection", "uncaughtException"] as const) process.on(event, tell);
	hears = heard;
};

/**
 * Ends this process when the one that launched it is gone: a launcher that was killed outright cannot pass the signal
 * on, and a server nobody can reach must not keep the database.
 */
export const endWithLauncher = (): void => {
	if (typeof process.send !== "function") return;
	process.once("disconnect", () => process.exit(137));
	// The channel is for that only; it must not keep a finished command alive.
	(process.channel as { unref?: () => void } | undefined)?.unref?.();
};

/** Starts this program once more with other words; `heard` gets what it tells by `tellStarter`. It ends when this one does. */
export const startAnother = (
	words: readonly string[],
	environment: Readonly<Record<string, string>>,
	heard: (message: unknown) => void,
): OtherProcess => {
	const child = fork(process.argv[1] ?? "", words, {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
		env: { ...environmentOfOthers(), ...environment },
	});
	child.on("message", heard);
	return {
		pid: child.pid ?? 0,
		ended: new Promise((resolve) => {
			child.once("exit", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
			child.once("error", () => resolve(127));
		}),
		// Deno's `child.kill` would cut the channel between the two, which ends the child at once.
		tell(signal) {
			try {
				if (child.pid !== undefined) process.kill(child.pid, signal);
			} catch (error) {
				// It has just ended by itself.
				if ((error as { code?: unknown }).code !== "ESRCH") throw error;
			}
		},
		say(message) {
			// Whoever waits for an answer hears of the end of the process instead.
			if (child.connected) child.send(message, () => undefined);
		},
	};
};

/** Tells the process that started this one. */
export const tellStarter = (message: Readonly<Record<string, unknown>>): void => {
	process.send?.(message);
};

/** Hears what the process says that started this one. */
export const hearStarter = (heard: (message: unknown) => void): void => {
	process.on("message", heard);
};
