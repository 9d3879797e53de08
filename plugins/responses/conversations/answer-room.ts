/** How much is kept: of each token, and in all. What was used longest ago leaves first. */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, type Log, type Store, valueList } from "#core";

interface RoomLimits {
	/** Bytes that the answers of one token may take. */
	readonly perToken: number;
	/** Bytes that all answers together may take. */
	readonly total: number;
}

/** Told in the log once so much of the whole room is taken, and again only after it was less. */
const warnAt = 0.9;
/** What makes room makes so much of it that the next answers find some too. */
const trimTo = 0.9;
/** How much of a limit may be added before it is asked again how much there is. */
const askEvery = 0.01;
const rowsAtOnce = 200;

export class AnswerRoom {
	private readonly store: Store;
	private readonly limits: RoomLimits;
	private readonly log: Log;
	private warned = false;
	/** Bytes added since it was last asked how much there is, and whose they are. */
	private added = 0;
	private readonly adding = new Set<string>();
	/** One after the other, or two would remove what one of them has to. */
	private trimming: Promise<void> = Promise.resolve();

	constructor(store: Store, limits: RoomLimits, log: Log) {
		this.store = store;
		this.limits = limits;
		this.log = log;
	}

	/** Whether an answer of this size is kept at all. */
	takes(bytes: number): boolean {
		return bytes <= Math.min(this.limits.perToken, this.limits.total);
	}

	/** Asks how much those who added something keep, and all together, once that may matter: for the end of the write that adds to it. */
	add(token: string, bytes: number): SQL | undefined {
		this.added += bytes;
		this.adding.add(token);
		if (this.added < Math.min(this.limits.perToken, this.limits.total) * askEvery) return undefined;
		const whose = valueList([...this.adding, ""]);
		this.added = 0;
		this.adding.clear();
		return sql`SELECT token, bytes FROM responses_kept WHERE token IN ${whose}`;
	}

	/** Given what `add` asked: makes room again where a limit is passed. */
	async made(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
		for (const row of rows) {
			const token = String(row["token"]);
			const bytes = asNumber(row["bytes"]) ?? 0;
			const limit = token === "" ? this.limits.total : this.limits.perToken;
			if (token === "") this.warn(bytes);
			if (bytes <= limit) continue;
			this.trimming = this.trimming.catch(() => undefined).then(() => this.trim(token, limit * trimTo));
			await this.trimming;
		}
	}

	private warn(bytes: number): void {
		const scarce = bytes > this.limits.total * warnAt;
		if (scarce && !this.warned)
			this.log.warn("kept answers have nearly all the room they may take; the oldest leave soon", {
				bytes,
				limit: this.limits.total,
			});
		this.warned = scarce;
	}

	/** Removes the oldest until no more than `limit` is left. */
	private async trim(token: string, limit: number): Promise<void> {
		const whose = token === "" ? sql`` : sql`WHERE token = ${token}`;
		for (;;) {
			const [kept] = await this.store.all(sql`SELECT bytes FROM responses_kept WHERE token = ${token}`);
			let excess = (asNumber(kept?.["bytes"]) ?? 0) - limit;
			if (excess <= 0) return;
			const oldest = await this.store.all(
				sql`SELECT rowid AS number, bytes FROM responses_answers ${whose} ORDER BY used_at, rowid LIMIT ${rowsAtOnce}`,
			);
			const leaving: number[] = [];
			for (const row of oldest) {
				if (excess <= 0) break;
				excess -= asNumber(row["bytes"]) ?? 0;
				leaving.push(asNumber(row["number"]) ?? 0);
			}
			if (leaving.length === 0) return;
			await this.store.write([sql`DELETE FROM responses_answers WHERE rowid IN ${valueList(leaving)}`]);
		}
	}
}
