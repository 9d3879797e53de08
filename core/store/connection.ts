/** The way to the database: opens it, tries again what may be tried again, and heals it after a failure. */
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "@libsql/client";
import type { Clock } from "../contract/clock.ts";
import type { Log } from "../contract/log.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { unansweredCode } from "../errors/unanswered.ts";
import { openClient } from "./client.ts";
import { type Outage, storeFault, Unreachable } from "./fault.ts";
import { FileWriter } from "./file-writer.ts";
import { spaceOf } from "./free-space.ts";
import { RemovedFileCheck } from "./removed-file.ts";

export interface ConnectionInput {
	readonly url: string;
	readonly authToken?: string;
	readonly clock: Clock;
	readonly log: Log;
	/** How long a busy or absent database is waited for from its first failure, milliseconds; later operations try once. */
	readonly patienceMs?: number;
	/** How much room the disk of a folder has; the system is asked unless a test says. */
	readonly space?: typeof spaceOf;
}

/** With less room than this, in bytes, a disk counts as full. */
const leastFree = 64 * 1024;
const fullCode = "SQLITE_FULL";
/** What writes on a full disk, or on one that fails: a server says the second of both. */
const diskCodes = /^SQLITE_(?:FULL|IOERR)/;

/** A request to a libSQL server that takes longer has failed. */
const deadlineMs = 10_000;
/**
 * SQLite waits for a lock by holding up the whole process, streams and all. So it waits shortly, and we wait for longer
 * between attempts, during which everything else goes on.
 */
const lockWaitMs = 50;
/** The longest pause between two tries, milliseconds, before chance makes it half to one and a half of that. */
const longestWaitMs = 500;

/** SQLite's own word for it, which it says only of files without a write-ahead log. */
const movedCode = "SQLITE_READONLY_DBMOVED";

/** What a `sqld` does that several wrote to at once while it tidied its log: see docs/scaling.md. */
const stuck =
	"the database server reads but does not write: if it is a sqld, its write lock is stuck until it is started again, with SQLD_MAX_CONCURRENT_CONNECTIONS=1, which prevents that";

/** The path of a `file:` URL; undefined for a server. */
export const databaseFile = (url: string): string | undefined => {
	const path = /^file:(?:\/\/(?:localhost)?(?=\/))?([^?#]+)/.exec(url)?.[1];
	return path === undefined ? undefined : decodeURIComponent(path);
};

/** Never more than one word: what an error of the network says besides may hold the address with its password. */
const whyNoAnswer = (error: unknown): string => {
	if (!(error instanceof Error)) return "no reason was given";
	return unansweredCode(error) ?? error.name;
};

/** Reads the whole answer, within a limit where there is one, so that every failure of the network is one of this function. */
export const fetchWhole = async (request: Request, limitMs?: number): Promise<Response> => {
	try {
		const response = await fetch(request, limitMs === undefined ? {} : { signal: AbortSignal.timeout(limitMs) });
		return new Response(await response.arrayBuffer(), { status: response.status, headers: response.headers });
	} catch (error) {
		throw new Unreachable(whyNoAnswer(error));
	}
};

export class Connection {
	readonly file: string | undefined;
	readonly client: Client;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #patienceMs: number;
	readonly #space: typeof spaceOf;
	readonly #failing = new Map<"read" | "write", Outage>();
	/** Since when every operation of its kind has failed for a while; monotonic. */
	readonly #troubledSince = new Map<"read" | "write", number>();
	/** Opened by the first write to a file. */
	#writer: FileWriter | undefined;
	readonly #removed: RemovedFileCheck | undefined;
	/** While what is open is not what lies at its path: what were written would be lost when it is closed. */
	#moved: Outage | undefined;
	#closed = false;
	/** Hears how long operations took. */
	heard: ((operation: "read" | "write", milliseconds: number) => void) | undefined;

	private constructor({ url, clock, log, patienceMs = 8000, space = spaceOf }: ConnectionInput, client: Client) {
		this.file = databaseFile(url);
		this.#removed = this.file === undefined ? undefined : new RemovedFileCheck(this.file);
		this.client = client;
		this.#clock = clock;
		this.#log = log;
		this.#patienceMs = patienceMs;
		this.#space = space;
	}

	static async open(input: ConnectionInput): Promise<Connection> {
		const { url, authToken } = input;
		const isFile = databaseFile(url) !== undefined;
		const reach = isFile
			? { concurrency: 1, timeout: lockWaitMs }
			: { fetch: (request: Request) => fetchWhole(request, deadlineMs) };
		return new Connection(input, await openClient({ url, ...(authToken !== undefined && { authToken }), ...reach }));
	}

	/** Makes sure of the server, or gives the file a write-ahead log, so that reads and writes do not wait for each other. */
	async prepare(): Promise<void> {
		if (this.file === undefined) {
			await this.run("read", () => this.client.execute("SELECT 1"));
			return;
		}
		const [row] = (await this.run("write", () => this.client.execute("PRAGMA journal_mode = WAL"))).rows;
		if (row?.["journal_mode"] !== "wal") this.#log.warn("the database file cannot have a write-ahead log");
		await this.#settle();
		this.#removed?.take();
	}

	/** To be called now and then: looks whether the files that are open are still those at their paths. */
	async look(): Promise<void> {
		const path = this.#removed?.missing();
		if (path !== undefined && !this.#moved) {
			this.#moved = { since: this.#clock.now(), code: movedCode };
			this.#log.error("the database file was removed or replaced while it is open; nothing more is written", { path });
		}
		if (path !== undefined || !this.#moved) return;
		this.#moved = undefined;
		this.#log.info("the database file is back in its place");
		await this.heal();
	}

	/**
	 * With a write-ahead log, NORMAL loses nothing that was acknowledged when the process is killed; when the machine
	 * loses power the last writes may be missing, never half there. FULL would hold up every stream for a disk flush.
	 */
	async #settle(): Promise<void> {
		await this.client.execute("PRAGMA synchronous = NORMAL");
	}

	/** What writes to the file; undefined for a server. */
	get writer(): FileWriter | undefined {
		if (this.file !== undefined) this.#writer ??= new FileWriter(this.file, lockWaitMs);
		return this.#writer;
	}

	/**
	 * Runs an operation that is safe to repeat, until it succeeds or fails for good. A database that has been away for
	 * longer than patience lasts is asked once by each operation, so that nobody waits for what is not there. `hasWritten`:
	 * whether what succeeded needed the disk. Rejects with `StoreFault`.
	 */
	async run<T>(kind: "read" | "write", operation: () => Promise<T>, hasWritten?: (result: T) => boolean): Promise<T> {
		if (kind === "write" && this.#moved) throw new StoreFault(movedCode, "the file was removed or replaced");
		const started = this.#clock.monotonic();
		for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
			try {
				const result = await operation();
				this.heard?.(kind, this.#clock.monotonic() - started);
				this.#troubledSince.delete(kind);
				if (this.#failing.size > 0) this.#answered(kind, hasWritten?.(result) !== false);
				return result;
			} catch (error) {
				const fault = await this.#after(error);
				if (!fault.passing || this.#outOfPatience(kind)) throw this.#noted(kind, fault);
			}
			// Nodes that were refused together do not come back together.
			await pause(waitMs * (0.5 + Math.random()));
		}
	}

	/** On a full disk what needs no room, as a change of no row, succeeds between all that fails. */
	#answered(kind: "read" | "write", hasWritten: boolean): void {
		if (!hasWritten && diskCodes.test(this.#failing.get(kind)?.code ?? "")) return;
		const isFull = this.file !== undefined && (this.#space(dirname(this.file))?.free ?? leastFree) < leastFree;
		if (isFull && this.#failing.get(kind)?.code === fullCode) return;
		if (this.#failing.delete(kind)) this.#log.info("the database answers again", { for: kind });
	}

	#outOfPatience(kind: "read" | "write"): boolean {
		const now = this.#clock.monotonic();
		const since = this.#troubledSince.get(kind) ?? now;
		this.#troubledSince.set(kind, since);
		return now - since >= this.#patienceMs;
	}

	async #after(error: unknown): Promise<StoreFault> {
		if (this.#closed) return new StoreFault("CLOSED", "the store is closed");
		const fault = storeFault(error);
		if (this.file !== undefined && fault.harms) await this.heal();
		return fault;
	}

	/**
	 * After a failed statement the driver's connection may say that it wrote when it did not; a new one is sound. What
	 * hinders the healing hinders the next statement too, which reports it. What was removed is not opened anew: that
	 * would make an empty file.
	 */
	async heal(): Promise<void> {
		if (this.#removed?.missing() !== undefined) return;
		this.#writer?.close();
		this.#writer = undefined;
		await this.client.reconnect();
		await this.#settle().catch(() => undefined);
		this.#removed?.take();
	}

	#noted(kind: "read" | "write", fault: StoreFault): StoreFault {
		const { code, detail } = fault;
		if (fault.isOutage && !this.#failing.has(kind)) {
			this.#failing.set(kind, { since: this.#clock.now(), code });
			this.#log.error("the database fails", { for: kind, code, detail });
			if (kind === "write" && this.file === undefined && code === "UNREACHABLE" && this.#healthyFor("read"))
				this.#log.warn(stuck);
		}
		return fault;
	}

	/** What is under way fails, and is not tried again. */
	close(): void {
		this.#closed = true;
		try {
			this.#writer?.settle();
		} catch (error) {
			this.#log.warn("the write-ahead log stays beside the database file; the next start reads both", {
				code: storeFault(error).code,
			});
		}
		this.#writer?.close();
		this.client.close();
	}

	#healthyFor(kind: "read" | "write"): boolean {
		return !this.#failing.has(kind) && !this.#troubledSince.has(kind);
	}

	/** From an outage until the same kind of operation succeeds. */
	outage(): Outage | undefined {
		return this.#moved ?? this.#failing.get("read") ?? this.#failing.get("write");
	}
}
