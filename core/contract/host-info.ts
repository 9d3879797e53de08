/** What the host tells plugins about itself. */
import { service } from "./token.ts";

/** One plugin, as `portico plugins` lists it. */
export interface PluginRow {
	readonly name: string;
	readonly use: string;
	readonly summary: string;
	readonly gives: readonly string[];
	readonly needs: readonly string[];
	readonly routes: readonly string[];
}

/** Something that outlives a reload. `close` is called once, when the process stops, after every plugin. */
export interface Kept {
	close?(): Promise<void> | void;
}

/** The state of the process, for whoever watches it. */
export interface HostLoad {
	readonly version: string;
	/** `bun 1.4.5`, `deno 2.9.6`. */
	readonly runtime: string;
	/** Whether the last reload succeeded; true before there was any. */
	readonly reloaded: boolean;
	/** Whether the database can be read and written, and the disk of the data folder has room. */
	readonly database: boolean;
	/** Calls that are running, by protocol. */
	readonly calls: ReadonlyMap<string, number>;
	/** Calls that wait for others to end. */
	readonly waiting: number;
}

/** What one worker says. */
export interface WorkerAnswer {
	/** 1, 2, 3 … */
	readonly worker: number;
	/** False when the process that said it has ended and its successor has said nothing yet. */
	readonly running: boolean;
	/** Where it runs and does not answer: since when, in milliseconds since 1970, and its process; `answer` is then what it said before. */
	readonly silent?: { readonly since: number; readonly process: number };
	readonly answer: unknown;
}

/**
 * The processes that `serve --workers N` runs on this machine, this one among them. What they tell each other is JSON.
 *
 * @example
 * needs.hostInfo.workers?.answer("greeter: greeted", (before) => greeted + (asCount(before) ?? 0)); // in `start`
 * const answers = (await needs.hostInfo.workers?.ask("greeter: greeted")) ?? []; // where somebody wants to know
 */
export interface Workers {
	/**
	 * Asks every worker, this one too. For one that has ended, or does not answer in time, its last answer stands. Rejects when
	 * the process that looks after the workers does not reply.
	 */
	ask(question: string): Promise<readonly WorkerAnswer[]>;
	/**
	 * Says what this process answers. `before` is the last answer of the process that it replaced: a count goes on from there, so
	 * that it does not fall. Returns what takes the answer away.
	 */
	answer(question: string, say: (before: unknown) => unknown): () => void;
}

/**
 * What a plugin may ask of the process it runs in.
 *
 * @example
 * needs: { host: hostInfo },
 * setup: ({ needs }) => {
 * 	const greeted = needs.host.keep("greeter.greeted", () => new Map<string, number>()); // the same after a reload
 * 	return { offers: [add(recorders, { name: "greeter", record: ({ id }) => greeted.set(id, 1) })] };
 * },
 */
export interface HostInfo {
	/** A folder of this process's own for files that are not in the database (a journal). It exists. */
	readonly dataFolder: string;
	/** A folder that all workers of this machine share, for files that any of them may read (task results). It exists. */
	readonly sharedFolder: string;
	/** This node's name, stable across restarts of one data folder. */
	readonly node: string;
	/** The proxy that outgoing calls to providers go by, when config names one. Callbacks never use it. */
	readonly outgoingProxy?: string;
	/** False when the plugins were built for one command of the command line. */
	readonly serving: boolean;
	/** The address this node serves at, once it does: `http://127.0.0.1:8787`. For one command: where config says that it would. */
	address(): string | undefined;
	plugins(): readonly PluginRow[];
	/** The workers of this machine; absent where one process serves alone. */
	readonly workers?: Workers;
	load(): HostLoad;
	/**
	 * Aborted `server.drainSeconds` after the process was told to stop: what is under way has to end now. A reload does not abort
	 * it: there a plugin's `stop` may wait for its work as long as that takes.
	 */
	readonly mustEnd: AbortSignal;
	/** The one thing of that name in this process, made at its first use and kept through reloads: open leases, counters, a journal. */
	keep<T extends object & Kept>(name: string, make: () => T): T;
	/** Has the greeting of a start show a first token. For the plugin that issues tokens. */
	greetWith(first: FirstToken): void;
	/**
	 * Has the greeting of a start show a link for the very first sign-in. For the plugin that knows people. `link` is called once
	 * this node listens, and gives undefined when there is none to show.
	 */
	greetWithSignIn(link: (address: string) => Promise<string | undefined>): void;
}

/** The key that a start shows to whoever started it. */
export interface FirstToken {
	/** Makes it, once this node listens, so that a start that fails makes none; undefined when there is none to show. */
	key(): Promise<string | undefined>;
	/** Called right before the key is shown. A process that ends before that shows another at its next start. */
	shown(): Promise<void>;
}

/** Given by the host. */
export const hostInfo = service<HostInfo>("host-info");
