/**
 * What the quota keeps: accounts, of tokens, persons and the windows of budgets; and leases: parts of an account that a node,
 * or a task, may spend.
 *
 * Triggers carry every change of a lease over to its account, so no statement can change one and forget the other, and a
 * statement that is written twice changes nothing the second time. The account's CHECK forbids what must never be.
 */
import type { Tables } from "#core";

/**
 * `token` is the name of the account, here as in the other tables: of a token's own it is the token's id, and
 * `account-names.ts` has the others. `quota` is what the operator set (NULL: unlimited). `ceiling` is the same, except after the
 * quota was set below what had been promised by then: the ceiling then starts at the promises and follows them down. `used` is
 * what was charged, `leased` what leases may still charge.
 */
const accounts = `CREATE TABLE quota_accounts (
	token TEXT PRIMARY KEY,
	quota INTEGER,
	ceiling INTEGER,
	used INTEGER NOT NULL DEFAULT 0,
	leased INTEGER NOT NULL DEFAULT 0,
	CHECK (used >= 0 AND leased >= 0 AND used + leased <= ceiling)
) STRICT`;

/**
 * `slice`: spent by calls on one node. `tally`: what calls of an unlimited token cost on one node; it has nothing to
 * spend. `task`: held for one task. A lease is `open`, `lost` (its node fell silent and it was charged in full) or `closed`.
 * Times are the database's, in milliseconds.
 */
const leases = `CREATE TABLE quota_leases (
	id TEXT PRIMARY KEY,
	token TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('slice', 'tally', 'task')),
	holder TEXT NOT NULL,
	granted INTEGER NOT NULL,
	settled INTEGER NOT NULL DEFAULT 0,
	state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'lost', 'closed')),
	recalled INTEGER NOT NULL DEFAULT 0,
	expires_at INTEGER,
	changed_at INTEGER NOT NULL,
	CHECK (settled >= 0 AND settled <= granted)
) STRICT`;

/** Charges that no finished call explains: a lost lease charged in full, and the same taken back when its node returned. */
const corrections = `CREATE TABLE quota_corrections (
	id TEXT PRIMARY KEY,
	token TEXT NOT NULL,
	amount INTEGER NOT NULL,
	reason TEXT NOT NULL,
	at INTEGER NOT NULL,
	recorded INTEGER NOT NULL DEFAULT 0
) STRICT`;

const held = (row: "NEW" | "OLD"): string => `iif(${row}.state = 'open', ${row}.granted - ${row}.settled, 0)`;

const opened = `CREATE TRIGGER quota_lease_opened AFTER INSERT ON quota_leases BEGIN
	UPDATE quota_accounts SET used = used + NEW.settled, leased = leased + ${held("NEW")} WHERE token = NEW.token;
END`;

const changed = `CREATE TRIGGER quota_lease_changed AFTER UPDATE OF granted, settled, state ON quota_leases
WHEN NEW.granted <> OLD.granted OR NEW.settled <> OLD.settled OR NEW.state <> OLD.state BEGIN
	SELECT RAISE(ABORT, 'a lease was charged more than it was granted')
		WHERE NEW.kind <> 'tally' AND NEW.settled > OLD.granted;
	SELECT RAISE(ABORT, 'a closed lease was changed') WHERE OLD.state = 'closed';
	UPDATE quota_accounts SET ceiling = max(ceiling, used + leased + NEW.settled - OLD.settled)
		WHERE token = NEW.token AND NEW.kind = 'tally';
	UPDATE quota_accounts SET
		used = used + NEW.settled - OLD.settled,
		leased = leased + ${held("NEW")} - ${held("OLD")}
		WHERE token = NEW.token;
	UPDATE quota_accounts SET ceiling = max(quota, used + leased) WHERE token = NEW.token AND ceiling > quota;
END`;

const lost = `CREATE TRIGGER quota_lease_lost AFTER UPDATE OF state ON quota_leases
WHEN OLD.state = 'open' AND NEW.state = 'lost' AND NEW.settled > OLD.settled BEGIN
	INSERT INTO quota_corrections (id, token, amount, reason, at)
		VALUES ('lost_' || NEW.id, NEW.token, NEW.settled - OLD.settled, 'lease_lost', NEW.changed_at);
END`;

const found = `CREATE TRIGGER quota_lease_found AFTER UPDATE OF state ON quota_leases
WHEN OLD.state = 'lost' AND NEW.state = 'closed' BEGIN
	INSERT INTO quota_corrections (id, token, amount, reason, at)
		SELECT 'found_' || NEW.id, NEW.token, -amount, 'lease_found', NEW.changed_at
		FROM quota_corrections WHERE id = 'lost_' || NEW.id;
END`;

/** No node renews the slices that a backup tells of; without an end they wait for a journal that tells what was spent. */
const restored = "UPDATE quota_leases SET expires_at = NULL WHERE kind = 'slice' AND state = 'open'";

export const quotaTables = (plugin: string): Tables => ({
	plugin,
	restored: [restored],
	migrations: [
		{
			name: "001-quota",
			statements: [
				accounts,
				leases,
				"CREATE INDEX quota_leases_open ON quota_leases (token) WHERE state = 'open'",
				"CREATE INDEX quota_leases_holder ON quota_leases (holder) WHERE state <> 'closed'",
				"CREATE INDEX quota_leases_due ON quota_leases (expires_at) WHERE state = 'open'",
				corrections,
				"CREATE INDEX quota_corrections_new ON quota_corrections (at) WHERE recorded = 0",
				opened,
				changed,
				lost,
				found,
			],
		},
		// When the window of a budget ends, in milliseconds since 1970; NULL for accounts without an end.
		{ name: "002-ends", statements: ["ALTER TABLE quota_accounts ADD COLUMN ends_at INTEGER"] },
		{
			name: "003-ends-index",
			statements: ["CREATE INDEX quota_accounts_ends ON quota_accounts (ends_at) WHERE ends_at IS NOT NULL"],
		},
	],
});
