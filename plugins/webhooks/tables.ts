/** The outbox: deliveries, the log of their attempts, the secrets that sign them, and the triggers that fill the first. */
import { definedOnly, type Tables } from "#core";
import type { OutboxSource } from "./service.ts";

export const webhookTables: Tables = {
	plugin: "webhooks",
	migrations: [
		{
			name: "0001-deliveries",
			statements: [
				`CREATE TABLE deliveries (
					id TEXT PRIMARY KEY,
					owner TEXT NOT NULL,
					subject TEXT NOT NULL,
					sequence INTEGER NOT NULL,
					event TEXT NOT NULL,
					url TEXT NOT NULL,
					origin TEXT NOT NULL,
					body TEXT NOT NULL,
					state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sending', 'delivered', 'dead')),
					attempts INTEGER NOT NULL DEFAULT 0,
					manual INTEGER NOT NULL DEFAULT 0,
					due_at INTEGER NOT NULL,
					lease TEXT,
					lease_until INTEGER,
					lost INTEGER NOT NULL DEFAULT 0,
					created_at INTEGER NOT NULL,
					delivered_at INTEGER,
					finished_at INTEGER,
					UNIQUE (subject, sequence)
				) STRICT`,
				"CREATE INDEX deliveries_due ON deliveries (due_at, id, origin, subject, sequence, attempts) WHERE state = 'pending'",
				"CREATE INDEX deliveries_waiting ON deliveries (subject, sequence, attempts, due_at) WHERE state = 'pending'",
				"CREATE INDEX deliveries_sending ON deliveries (subject) WHERE state = 'sending'",
				"CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL",
				"CREATE INDEX deliveries_owner ON deliveries (owner, created_at, id)",
				`CREATE TABLE delivery_attempts (
					delivery TEXT NOT NULL,
					lease TEXT NOT NULL,
					number INTEGER NOT NULL,
					cause TEXT NOT NULL,
					started_at INTEGER NOT NULL,
					duration_ms INTEGER NOT NULL,
					address TEXT,
					status INTEGER,
					error TEXT,
					PRIMARY KEY (delivery, lease)
				) STRICT, WITHOUT ROWID`,
				`CREATE TABLE webhook_secrets (
					owner TEXT PRIMARY KEY,
					secret TEXT NOT NULL,
					created_at INTEGER NOT NULL,
					previous TEXT,
					previous_until INTEGER
				) STRICT`,
			],
		},
		{ name: "0002-failure", statements: ["ALTER TABLE deliveries ADD COLUMN failure TEXT"] },
		{
			name: "0003-dead",
			statements: ["CREATE INDEX deliveries_dead ON deliveries (created_at, id) WHERE state = 'dead'"],
		},
		{
			name: "0004-owners",
			statements: [
				"DROP INDEX deliveries_due",
				"CREATE INDEX deliveries_due ON deliveries (due_at, id, owner, origin, subject, sequence, attempts) WHERE state = 'pending'",
			],
		},
		{
			name: "0005-callers",
			statements: [
				"ALTER TABLE deliveries ADD COLUMN caller TEXT",
				"DROP INDEX deliveries_due",
				"CREATE INDEX deliveries_due ON deliveries (due_at, id, owner, caller, origin, subject, sequence, attempts) WHERE state = 'pending'",
			],
		},
	],
};

/** The part of an address up to its path. Addresses are stored normalised, so there is a path. */
const originOf = (url: string): string => `substr(${url}, 1, 7 + instr(substr(${url}, 9), '/'))`;

const columnName = /^[a-z][a-z0-9_]*$/;

/**
 * Triggers that turn an insert or a change of status into a delivery. They run inside the statement that fires them,
 * so a callback can neither be lost nor be made for a change that did not happen. Throws `TypeError` for names that
 * are not plain SQL names.
 */
export const outboxTriggers = (source: OutboxSource): readonly string[] => {
	for (const name of Object.values(source))
		if (!columnName.test(name)) throw new TypeError(`"${name}" is not a plain column or table name`);
	const column = (name: string): string => `NEW.${name}`;
	const more = Object.entries(definedOnly({ failure: source.failure, caller: source.caller }));
	const insert = `INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, due_at, created_at${more.map(([name]) => `, ${name}`).join("")})
		VALUES ('msg_' || ${column(source.subject)} || '_' || ${column(source.sequence)}, ${column(source.owner)},
			${column(source.subject)}, ${column(source.sequence)}, ${column(source.status)}, ${column(source.url)},
			${originOf(column(source.url))}, ${column(source.body)}, ${column(source.at)}, ${column(source.at)}${more.map(([, name]) => `, ${column(name)}`).join("")})`;
	return [
		`CREATE TRIGGER ${source.table}_outbox_insert AFTER INSERT ON ${source.table}
			WHEN NEW.${source.url} <> '' BEGIN ${insert}; END`,
		`CREATE TRIGGER ${source.table}_outbox_update AFTER UPDATE OF ${source.status} ON ${source.table}
			WHEN NEW.${source.status} <> OLD.${source.status} AND NEW.${source.url} <> '' BEGIN ${insert}; END`,
	];
};
