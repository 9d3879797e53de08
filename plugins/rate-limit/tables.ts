/**
 * What nodes that share a database keep of limits: a bucket for each limit, and the shares of it that nodes hold.
 *
 * What is in the bucket and what all shares hold together is never more than one bucket of a single node would have at that
 * moment: a bucket fills only as far as the shares leave room, and what a share was given is taken from it by a trigger.
 */
import type { Tables } from "#core";

/**
 * `level` is what nobody holds; below zero when calls used more than was guessed. NULL: calls at once, which fill nothing.
 * `at` is when that was so, `full_at` when no more went in for the last time; milliseconds since 1970.
 */
const buckets = `CREATE TABLE rate_buckets (
	name TEXT PRIMARY KEY,
	capacity INTEGER NOT NULL,
	level REAL,
	at INTEGER NOT NULL,
	full_at INTEGER NOT NULL
) STRICT`;

/**
 * `held` is what a node may have that it has not used, or the calls it runs; `spare` is how much of it no call waited for.
 * `granted` and `back` are what the last question brought and gave back; `serial` tells questions apart that arrive twice.
 */
const shares = `CREATE TABLE rate_shares (
	bucket TEXT NOT NULL,
	holder TEXT NOT NULL,
	serial INTEGER NOT NULL,
	held INTEGER NOT NULL CHECK (held >= 0),
	spare INTEGER NOT NULL,
	granted INTEGER NOT NULL CHECK (granted >= 0),
	back INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	PRIMARY KEY (bucket, holder)
) STRICT, WITHOUT ROWID`;

const room = "capacity - (SELECT sum(held) FROM rate_shares WHERE bucket = NEW.bucket)";
const moved = `UPDATE rate_buckets SET
	level = min(${room}, level + NEW.back - NEW.granted),
	full_at = iif(level + NEW.back - NEW.granted > ${room}, at, full_at)
	WHERE name = NEW.bucket AND level IS NOT NULL`;

export const rateTables = (plugin: string): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-shares",
			statements: [
				buckets,
				shares,
				`CREATE TRIGGER rate_share_opened AFTER INSERT ON rate_shares BEGIN ${moved}; END`,
				`CREATE TRIGGER rate_share_changed AFTER UPDATE OF serial ON rate_shares BEGIN ${moved}; END`,
			],
		},
	],
});
