/** What is stored of people: persons, their sessions, invitations, failed sign-ins. Secrets only as digests. */
import type { Tables } from "#core";

/** `name_key` is the name as it is compared. `ceiling` in micro-dollars and `limits` (JSON, token settings by key) bound what the person's tokens may do together. */
const persons = `CREATE TABLE persons (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL UNIQUE,
	role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
	password TEXT NOT NULL,
	ceiling INTEGER CHECK (ceiling >= 0),
	limits TEXT NOT NULL DEFAULT '{}',
	disabled INTEGER NOT NULL DEFAULT 0,
	created_at INTEGER NOT NULL
) STRICT`;

/** `person` is null for whoever signed in with the admin token. `ends_at` holds whatever happens; `seen_at` slides. */
const sessions = `CREATE TABLE sessions (
	digest TEXT PRIMARY KEY,
	person TEXT REFERENCES persons (id),
	created_at INTEGER NOT NULL,
	seen_at INTEGER NOT NULL,
	ends_at INTEGER NOT NULL,
	address TEXT,
	user_agent TEXT
) STRICT`;

/** `person` is set where the link sets another password for somebody who is known already. `used_by` is one use, which nobody can share. */
const invitations = `CREATE TABLE invitations (
	id TEXT PRIMARY KEY,
	digest TEXT NOT NULL UNIQUE,
	person TEXT REFERENCES persons (id),
	role TEXT NOT NULL CHECK (role IN ('admin', 'member')),
	ceiling INTEGER CHECK (ceiling >= 0),
	limits TEXT NOT NULL DEFAULT '{}',
	created_at INTEGER NOT NULL,
	created_by TEXT NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at INTEGER,
	used_by TEXT
) STRICT`;

/** `subject` is a person's name or an address, as they are counted. */
const failures = `CREATE TABLE sign_in_failures (
	subject TEXT PRIMARY KEY,
	failures INTEGER NOT NULL,
	last_at INTEGER NOT NULL
) STRICT`;

/** Who changed what: written in the batch that makes the change. `changes` is JSON: what each field was and is, without secrets. */
const audit = `CREATE TABLE audit (
	id TEXT PRIMARY KEY,
	at INTEGER NOT NULL,
	operator TEXT NOT NULL,
	operator_name TEXT NOT NULL,
	address TEXT,
	verb TEXT NOT NULL,
	kind TEXT NOT NULL,
	object TEXT NOT NULL,
	name TEXT,
	changes TEXT NOT NULL
) STRICT`;

export const peopleTables = (plugin: string): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-people",
			statements: [
				persons,
				sessions,
				"CREATE INDEX sessions_person ON sessions (person)",
				"CREATE INDEX sessions_ends ON sessions (ends_at)",
				invitations,
				failures,
				"CREATE INDEX sign_in_failures_last ON sign_in_failures (last_at)",
				audit,
				"CREATE INDEX audit_at ON audit (at, id)",
			],
		},
		// What the person's tokens may spend in each day, week or month: JSON, as the token setting `budgets` has it.
		{
			name: "002-budgets",
			statements: ["ALTER TABLE persons ADD COLUMN budgets TEXT", "ALTER TABLE invitations ADD COLUMN budgets TEXT"],
		},
	],
});
