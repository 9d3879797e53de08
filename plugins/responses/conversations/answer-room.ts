/**
 * How much is kept: of each token, and in all. What was used longest ago leaves first; where all together keep too much, of those who
 * keep the most. All tokens of a person are one of them: they may make as many as they like.
 */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asText, type Log, type Store, valueList } from "#core";
import type { TokenOwnership } from "../../tokens/service.ts";

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

/** What each of them may keep for all together to keep no more than `limit`; those who keep less keep it. */
const shareOf = (amounts: readonly number[], limit: number): number => {
	let left = limit;
	for (const [index, amount] of amounts.toSorted((a, b) => a - b).entries()) {
		const share = left / (amounts.length - index);
		if (amount > share) return share;
		left -= amount;
	}
	return Number.POSITIVE_INFINITY;
};

const ofToken = (token: string): SQL => sql`token = ${token}`;

export class AnswerRoom {
	private readonly store: Store;
	private readonly limits: RoomLimits;
	private readonly log: Log;
	/** Who has which tokens, where somebody knows it. */
	private readonly tokens: Pick<TokenOwnership, "directory" | "ownedBy"> | undefined;
	private warned = false;
	/** Bytes added since it was last asked how much there is, and whose they are. */
	private added = 0;
	private readonly adding = new Set<string>();
	/** One after the other, or two would remove what one of them has to. */
	private trimming: Promise<void> = Promise.resolve();

	constructor(store: Store, limits: RoomLimits, log: Log, tokens?: Pick<TokenOwnership, "directory" | "ownedBy">) {
		this.store = store;
		this.limits = limits;
		this.log = log;
		this.tokens = tokens;
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
			const work = token === "" ? () => this.trimAll(limit * trimTo) : () => this.trim(ofToken(token), limit * trimTo);
			this.trimming = this.trimming.catch(() => undefined).then(work);
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

	/** Removes the oldest of those who keep the most, until no more than `limit` is left in all. */
	private async trimAll(limit: number): Promise<void> {
		const { tokens } = this;
		const owner = tokens ? sql`(SELECT n.owner FROM (${tokens.directory()}) n WHERE n.id = k.token)` : sql`NULL`;
		const rows = await this.store.all(
			sql`SELECT owner, coalesce(owner, token) AS caller, min(token) AS token, sum(bytes) AS bytes
				FROM (SELECT k.token, k.bytes, ${owner} AS owner FROM responses_kept k WHERE k.token <> '') GROUP BY caller`,
		);
		const amounts = rows.map((row) => asNumber(row["bytes"]) ?? 0);
		const share = shareOf(amounts, limit);
		for (const [index, row] of rows.entries()) {
			if ((amounts[index] ?? 0) <= share) continue;
			const person = asText(row["owner"]);
			const theirs = tokens && person !== undefined && sql`token IN (${tokens.ownedBy(person)})`;
			await this.trim(theirs || ofToken(String(row["token"])), share);
		}
	}

	/** Removes the oldest of these until no more than `limit` is left of them. */
	private async trim(whose: SQL, limit: number): Promise<void> {
		for (;;) {
			const [kept] = await this.store.all(sql`SELECT sum(bytes) AS bytes FROM responses_kept WHERE ${whose}`);
			let excess = (asNumber(kept?.["bytes"]) ?? 0) - limit;
			if (excess <= 0) return;
			const oldest = await this.store.all(
				sql`SELECT rowid AS number, bytes FROM responses_answers WHERE ${whose} ORDER BY used_at, rowid LIMIT ${rowsAtOnce}`,
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
