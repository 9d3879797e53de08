/** The database of a chaos run, and what its books say: a file of one node, or a server that several share through proxies that lose things. */
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient, LibsqlError } from "@libsql/client";
import { startSqld } from "../support/sqld.ts";
import type { Random } from "./random.ts";

/** One moment of an account and of the ledger. Micro-dollars. */
export interface Books {
	readonly quota: number;
	readonly used: number;
	readonly leased: number;
	/** What the ledger's rows, and corrections that have no row yet, add up to. */
	readonly recorded: number;
	readonly rows: number;
}

export interface ChaosDatabase {
	/** The address for a node. */
	urlFor(node: number): string;
	books(of: Account): Promise<Books | undefined>;
	/** Requests that were dropped, and replies that were lost after the work was done. */
	readonly dropped: number;
	readonly lost: number;
	/** From now on nothing goes wrong. */
	calm(): void;
	stop(): Promise<void>;
}

/**
 * `?1` is the account, `?2` a JSON list of the tokens that spend from it. What a token's account was charged without a
 * call has rows in the ledger; of a person's account it stands in the corrections alone.
 */
const question = `SELECT a.quota AS quota, a.used AS used, a.leased AS leased, l.cost + (
		SELECT coalesce(sum(amount), 0) FROM quota_corrections WHERE token = ?1 AND (recorded = 0 OR ?1 LIKE 'person:%')) AS recorded, l.rows AS rows
	FROM quota_accounts a, (
		SELECT coalesce(sum(cost), 0) AS cost, count(*) AS rows FROM ledger
		WHERE token IN (SELECT value FROM json_each(?2)) AND (?1 NOT LIKE 'person:%' OR ending NOT IN ('lease_lost', 'lease_found'))) l
	WHERE a.token = ?1`;

/** Where something is spent from, and the tokens that spend it. */
export interface Account {
	readonly account: string;
	readonly tokens: readonly string[];
}

const booksOf = (row: Readonly<Record<string, unknown>> | undefined): Books | undefined =>
	row && {
		quota: Number(row["quota"]),
		used: Number(row["used"]),
		leased: Number(row["leased"]),
		recorded: Number(row["recorded"]),
		rows: Number(row["rows"]),
	};

/** A file that one node owns; looked at from outside without writing. */
export const fileDatabase = (folder: string): ChaosDatabase => {
	const path = join(folder, "portico.db");
	return {
		dropped: 0,
		lost: 0,
		urlFor: () => `file:${path}`,
		async books({ account, tokens }) {
			if (!existsSync(path)) return undefined;
			const database = new Database(path, { readonly: true });
			try {
				return booksOf(
					database.query(question).get(account, JSON.stringify(tokens)) as Record<string, unknown> | undefined,
				);
			} catch {
				return undefined;
			} finally {
				database.close();
			}
		},
		calm() {},
		stop: async () => {},
	};
};

/** A server that has too much to do refuses with 429: it is asked again, for ten seconds, as Portico does. */
const askedAgain = async <T>(ask: () => Promise<T>): Promise<T> => {
	for (let times = 0; ; times++) {
		try {
			return await ask();
		} catch (error) {
			if (times === 40 || !(error instanceof LibsqlError && error.message.endsWith("status 429"))) throw error;
			await new Promise((resolve) => setTimeout(resolve, 250));
		}
	}
};

/** A `sqld` with a proxy before it that drops requests and loses replies. */
export const serverDatabase = async (
	program: string,
	folder: string,
	random: Random,
	faults: number,
): Promise<ChaosDatabase> => {
	const sqld = await startSqld(program, folder);
	const { url } = sqld;
	const client = createClient({ url });
	let [dropped, lost, rate] = [0, 0, faults];
	const proxy = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const { pathname, search } = new URL(request.url);
			const roll = random();
			if (roll < rate / 2) {
				dropped++;
				return new Response("dropped", { status: 503 });
			}
			const response = await fetch(url + pathname + search, {
				method: request.method,
				headers: request.headers,
				body: await request.arrayBuffer(),
			});
			const body = await response.arrayBuffer();
			if (roll < rate) {
				lost++;
				return new Response("lost", { status: 502 });
			}
			return new Response(body, {
				status: response.status,
				headers: { "content-type": response.headers.get("content-type") ?? "" },
			});
		},
	});
	return {
		get dropped() {
			return dropped;
		},
		get lost() {
			return lost;
		},
		urlFor: () => `http://127.0.0.1:${proxy.port}`,
		async books({ account, tokens }) {
			const asked = { sql: question, args: [account, JSON.stringify(tokens)] };
			const { rows } = await askedAgain(() => client.execute(asked));
			return booksOf(rows[0] as Readonly<Record<string, unknown>> | undefined);
		},
		calm() {
			rate = 0;
		},
		async stop() {
			client.close();
			await proxy.stop(true);
			await sqld.close();
		},
	};
};
