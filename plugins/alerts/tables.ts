/** What was told, kept to know what not to tell again; each row is a delivery from the statement that inserts it. */
import { type SQL, sql } from "drizzle-orm";
import type { Statement, Tables } from "#core";
import { alertOwner, onceMs, type Telling } from "./service.ts";

const source = {
	table: "alerts",
	subject: "id",
	owner: "owner",
	status: "event",
	sequence: "sequence",
	url: "url",
	body: "body",
	at: "at",
};

export const alertTables = (plugin: string, outbox: (columns: typeof source) => readonly string[]): Tables => ({
	plugin,
	migrations: [
		{
			name: "001-alerts",
			statements: [
				`CREATE TABLE alerts (
					id TEXT PRIMARY KEY,
					owner TEXT NOT NULL,
					event TEXT NOT NULL,
					about TEXT NOT NULL,
					sequence INTEGER NOT NULL,
					url TEXT NOT NULL,
					body TEXT NOT NULL,
					at INTEGER NOT NULL
				) STRICT`,
				"CREATE INDEX alerts_about ON alerts (about, event, at)",
				...outbox(source),
			],
		},
	],
});

/** Nothing of the same was told lately; a clock that was set back silences nothing for long. */
const untold = ({ quietMs, ends }: Telling, now: number): SQL => {
	const quiet = sql`NOT EXISTS (SELECT 1 FROM alerts a WHERE a.about = r.about AND a.event = r.event
		AND a.at > ${now - quietMs} AND a.at < ${now + quietMs})`;
	if (ends === undefined) return quiet;
	return sql`(SELECT a.event FROM alerts a WHERE a.about = r.about AND a.event IN (${ends}, r.event)
		ORDER BY a.at DESC, a.rowid DESC LIMIT 1) = ${ends}`;
};

interface AlertRow {
	readonly rows: SQL;
	readonly telling: Telling;
	readonly url: string;
	/** Milliseconds since 1970. */
	readonly now: number;
	/** The name of the token whose id an SQL expression gives. */
	readonly nameOf: (id: SQL) => SQL;
}

const token = sql.raw("(r.data->>'token')");

export const insertAlerts = ({ rows, telling, url, now, nameOf }: AlertRow): Statement => {
	const name = nameOf(token);
	const named = sql`coalesce(${name} || ' (' || ${token} || ')', ${token})`;
	const message = sql`replace(r.data->>'message', '{token}', ${named})`;
	const data = sql`iif(${token} IS NULL, json(r.data),
		json_set(r.data, '$.tokenName', ${name}, '$.message', ${message}))`;
	return sql`INSERT INTO alerts (id, owner, event, about, sequence, url, body, at)
		SELECT 'alert_' || lower(hex(randomblob(12))), ${alertOwner}, r.event, r.about, 1, ${url},
			json_object('type', r.event, 'timestamp', ${new Date(now).toISOString()}, 'data', ${data}), ${now}
		FROM (${rows}) AS r WHERE ${untold(telling, now)} GROUP BY r.about, r.event`;
};

/** What can no longer keep anything from being told. */
export const prune = (now: number): Statement => sql`DELETE FROM alerts WHERE at < ${now - onceMs}`;
