/** The statements by which a node asks for its share of a limit. Each question may arrive twice: only its first arrival counts. */
import { type SQL, sql } from "drizzle-orm";
import { databaseTime, type Statement } from "#core";

/** How long a share lasts that is not renewed, and how far clocks and delays may stretch that. Milliseconds. */
export const shareMs = 10_000;
export const marginMs = 2_000;
/** Of a limit, the part that all nodes together may hold before a call wants it, and the part that one may. */
const sparePart = 8;
export const aheadPart = 16;
const minuteMs = 60_000;
/** How long a question may be on its way. */
const underWayMs = 10_000;
/** A bucket nobody asked for so long is full and nobody's share counts. */
const forgottenMs = 2 * minuteMs;

/** What a node asks of a bucket, and tells of its share. */
export interface Question {
	/** Grows with each question of this node. */
	readonly serial: number;
	/** What the node goes on holding: what it runs and what it has free. */
	readonly kept: number;
	readonly keptFree: number;
	/** What goes back to the bucket; below zero: what calls used beyond what was there. */
	readonly back: number;
	/**
	 * What calls turned out not to have used, beyond what the node holds, and how long ago at most. Where the bucket was full
	 * since then it would have run over, so it does not count.
	 */
	readonly refund: number;
	readonly refundAgeMs: number;
	/** The least that is of use to a call that waits, and what all of them want; 0 when none does. */
	readonly least: number;
	readonly want: number;
	/** How much the node would like to hold before a call wants it. */
	readonly ahead: number;
}

export interface Answer {
	readonly granted: number;
	/** What the node holds by the database's account. */
	readonly held: number;
	/** What is in the bucket after that; undefined for calls at once. */
	readonly level: number | undefined;
	/** What other nodes hold that no call waited for. */
	readonly elsewhere: number;
}

export interface BucketKind {
	readonly name: string;
	readonly limit: number;
	/** By the minute; else it counts calls at once. */
	readonly fills: boolean;
}

export class Statements {
	private readonly now: SQL;

	/** `now`: tests put their own time in the place of the database's. */
	constructor(now: SQL = databaseTime) {
		this.now = now;
	}

	/** The last one answers, as `decodeAnswer` reads it. */
	ask(bucket: BucketKind, holder: string, question: Question): readonly Statement[] {
		const { name } = bucket;
		return [
			this.fill(bucket),
			// Only now: until here its room was its node's.
			sql`DELETE FROM rate_shares WHERE bucket = ${name} AND expires_at < ${this.now}`,
			this.grant(bucket, holder, question),
			sql`SELECT s.granted, s.held, b.level, (SELECT coalesce(sum(spare), 0) FROM rate_shares
				WHERE bucket = ${name} AND holder <> ${holder}) AS elsewhere
				FROM rate_shares s JOIN rate_buckets b ON b.name = s.bucket WHERE s.bucket = ${name} AND s.holder = ${holder}`,
		];
	}

	/** What has run in since somebody last looked. A changed limit changes the level by as much. */
	private fill({ name, limit, fills }: BucketKind): Statement {
		const room = sql`excluded.capacity - (SELECT coalesce(sum(held), 0) FROM rate_shares WHERE bucket = rate_buckets.name)`;
		const filled = sql`level + excluded.capacity - capacity + max(0, excluded.at - at) * (capacity * 1.0 / ${minuteMs})`;
		return sql`INSERT INTO rate_buckets (name, capacity, level, at, full_at)
			VALUES (${name}, ${limit}, ${fills ? limit : null}, ${this.now}, ${this.now})
			ON CONFLICT (name) DO UPDATE SET level = min(${room}, ${filled}),
				full_at = iif(${filled} >= ${room}, excluded.at, full_at), capacity = excluded.capacity, at = excluded.at`;
	}

	/** At least `least` or nothing; beyond what calls wait for only so much that the spare parts of all nodes stay small. */
	private grant({ name, fills }: BucketKind, holder: string, question: Question): Statement {
		const { serial, kept, keptFree, back, refund, refundAgeMs, least, want, ahead } = question;
		const own = sql`(SELECT held FROM rate_shares WHERE bucket = ${name} AND holder = ${holder})`;
		// What the database has given up is not the node's any more; calls that run are there all the same.
		const still = fills ? sql`min(${kept}, coalesce(${own}, 0))` : sql`${kept}`;
		const others = (column: SQL) =>
			sql`(SELECT coalesce(sum(${column}), 0) FROM rate_shares WHERE bucket = ${name} AND holder <> ${holder})`;
		const holders = sql`(SELECT count(*) FROM rate_shares WHERE bucket = ${name} AND holder <> ${holder} AND held > 0)`;
		return sql`INSERT INTO rate_shares (bucket, holder, serial, held, spare, granted, back, expires_at)
			SELECT name, ${holder}, ${serial}, still + granted, ${keptFree} + max(0, granted - ${want}), granted, back, ${this.now} + ${shareMs}
			FROM (SELECT name, still, back, iif(available < ${least}, 0, min(available, ${Math.max(want, least)} + room)) AS granted
			FROM (SELECT name, still, back,
				max(0, CAST(min(coalesce(level + back, capacity), capacity - ${others(sql`held`)} - still) AS INTEGER)) AS available,
				max(0, min(${ahead}, capacity / ${sparePart} / (1 + ${holders}), capacity / ${sparePart} - ${others(sql`spare`)}) - ${keptFree}) AS room
			FROM (SELECT name, capacity, level, ${still} AS still,
				${back} + iif(full_at < ${this.now} - ${refundAgeMs + underWayMs}, ${refund}, 0) AS back
				FROM rate_buckets WHERE name = ${name})))
			WHERE true ON CONFLICT (bucket, holder) DO UPDATE SET
				serial = excluded.serial, held = excluded.held, spare = excluded.spare,
				granted = excluded.granted, back = excluded.back, expires_at = excluded.expires_at
			WHERE excluded.serial > serial`;
	}

	/** Forgets what nobody asked for in a long time: a bucket made anew is as full. */
	prune(): readonly Statement[] {
		return [
			sql`DELETE FROM rate_shares WHERE expires_at < ${this.now} - ${forgottenMs}`,
			sql`DELETE FROM rate_buckets WHERE at < ${this.now} - ${forgottenMs}
				AND (level IS NULL OR level + (${this.now} - at) * (capacity * 1.0 / ${minuteMs}) >= capacity)
				AND NOT EXISTS (SELECT 1 FROM rate_shares WHERE bucket = rate_buckets.name)`,
		];
	}
}
