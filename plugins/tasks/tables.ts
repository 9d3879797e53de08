/** The table of tasks. */
import type { Tables } from "#core";
import type { OutboxSource, Webhooks } from "../webhooks/service.ts";

/** What webhooks must know to call back changes of status. */
const outboxSource: OutboxSource = {
	table: "tasks",
	subject: "id",
	owner: "token_id",
	status: "status",
	sequence: "sequence",
	url: "callback_url",
	body: "callback",
	at: "changed_at",
};

const dropOutbox: readonly string[] = ["DROP TRIGGER tasks_outbox_insert", "DROP TRIGGER tasks_outbox_update"];

/** `outbox`: the triggers that turn changes into callbacks; absent where webhooks is not loaded. */
export const taskTables = (outbox: Webhooks["outbox"] | undefined): Tables => ({
	plugin: "tasks",
	migrations: [
		{
			name: "0001-tasks",
			statements: [
				`CREATE TABLE tasks (
					id TEXT PRIMARY KEY,
					token_id TEXT NOT NULL,
					kind TEXT NOT NULL,
					action TEXT NOT NULL,
					model TEXT NOT NULL,
					request TEXT NOT NULL,
					status TEXT NOT NULL CHECK (status IN ('NOT_START', 'IN_PROGRESS', 'SUCCESS', 'FAILURE')),
					sequence INTEGER NOT NULL,
					progress INTEGER NOT NULL DEFAULT 0,
					result TEXT,
					failure TEXT,
					callback_url TEXT NOT NULL,
					callback TEXT NOT NULL,
					base_url TEXT NOT NULL,
					submitted_at INTEGER NOT NULL,
					started_at INTEGER NOT NULL DEFAULT 0,
					finished_at INTEGER NOT NULL DEFAULT 0,
					changed_at INTEGER NOT NULL,
					expires_at INTEGER NOT NULL,
					upstream TEXT NOT NULL,
					upstream_id TEXT,
					memo TEXT NOT NULL DEFAULT '{}',
					parent TEXT,
					submissions INTEGER NOT NULL DEFAULT 0,
					tries INTEGER NOT NULL DEFAULT 0,
					polls INTEGER NOT NULL DEFAULT 0,
					strange INTEGER NOT NULL DEFAULT 0,
					missing INTEGER NOT NULL DEFAULT 0,
					due_at INTEGER,
					deadline_at INTEGER NOT NULL,
					lease TEXT,
					lease_until INTEGER,
					idempotency_key TEXT,
					fingerprint TEXT NOT NULL
				) STRICT`,
				"CREATE UNIQUE INDEX tasks_idempotency ON tasks (token_id, idempotency_key) WHERE idempotency_key IS NOT NULL",
				"CREATE INDEX tasks_due ON tasks (due_at, id) WHERE due_at IS NOT NULL",
				"CREATE INDEX tasks_owner ON tasks (token_id, submitted_at, id)",
				"CREATE INDEX tasks_expiring ON tasks (expires_at)",
				"CREATE TABLE task_inputs (task_id TEXT PRIMARY KEY, input TEXT NOT NULL) STRICT",
				"CREATE TABLE task_keys (id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL) STRICT",
			],
		},
		...(outbox
			? [
					{ name: "0001-outbox", statements: outbox(outboxSource) },
					{
						name: "0002-outbox-failure",
						statements: [...dropOutbox, ...outbox({ ...outboxSource, failure: "failure" })],
					},
				]
			: []),
	],
});

/** What upstreams call the parts of a result, and nothing else in it: a title, which a client chooses, may be another's id. */
const isPart = "json_tree.key IN ('id', 'customId', 'messageHash') AND json_tree.type = 'text'";

/** How tasks are found by the client's own name, by the route they came by, by their state, by their job, and by a part of their result. Apart from the rest, whose migrations depend on what else is loaded. */
export const taskNameTables: Tables = {
	plugin: "tasks",
	migrations: [
		{
			name: "0001-external-ids",
			statements: [
				`CREATE INDEX tasks_external ON tasks (token_id, json_extract(request, '$.details.externalId'), submitted_at, id)
					WHERE json_extract(request, '$.details.externalId') IS NOT NULL`,
			],
		},
		{
			name: "0001-lists",
			statements: [
				`CREATE INDEX tasks_maker ON tasks (token_id, json_extract(request, '$.details.maker'), submitted_at, id)
					WHERE json_extract(request, '$.details.maker') IS NOT NULL`,
				"CREATE INDEX tasks_status ON tasks (token_id, status, submitted_at, id)",
			],
		},
		{
			name: "0001-parts",
			statements: [
				`CREATE TABLE task_parts (token_id TEXT NOT NULL, name TEXT NOT NULL, task_id TEXT NOT NULL,
					PRIMARY KEY (token_id, name, task_id)) STRICT, WITHOUT ROWID`,
				"CREATE INDEX task_parts_task ON task_parts (task_id)",
				`INSERT OR IGNORE INTO task_parts SELECT tasks.token_id, json_tree.atom, tasks.id
					FROM tasks, json_tree(tasks.result, '$.extra')
					WHERE tasks.result IS NOT NULL AND ${isPart}`,
				`CREATE TRIGGER task_parts_came AFTER UPDATE OF result ON tasks WHEN NEW.result IS NOT NULL BEGIN
					INSERT OR IGNORE INTO task_parts SELECT NEW.token_id, json_tree.atom, NEW.id
						FROM json_tree(NEW.result, '$.extra') WHERE ${isPart};
				END`,
				`CREATE TRIGGER task_parts_left AFTER DELETE ON tasks BEGIN
					DELETE FROM task_parts WHERE task_id = OLD.id;
				END`,
			],
		},
		{
			name: "0001-jobs",
			statements: ["CREATE INDEX tasks_job ON tasks (token_id, upstream_id, upstream) WHERE upstream_id IS NOT NULL"],
		},
		{
			name: "0001-shares",
			statements: [
				"DROP INDEX tasks_due",
				"CREATE INDEX tasks_due ON tasks (due_at, id, upstream, token_id) WHERE due_at IS NOT NULL",
			],
		},
	],
};

/** Whose share of turns and callbacks a task takes. A task from before has none, and counts as its token's own. */
export const taskCallerTables = (outbox: Webhooks["outbox"] | undefined): Tables => ({
	plugin: "tasks",
	migrations: [
		{
			name: "0002-callers",
			statements: [
				"ALTER TABLE tasks ADD COLUMN caller TEXT",
				"DROP INDEX tasks_due",
				"CREATE INDEX tasks_due ON tasks (due_at, id, upstream, token_id, caller) WHERE due_at IS NOT NULL",
			],
		},
		...(outbox
			? [
					{
						name: "0003-outbox-callers",
						statements: [...dropOutbox, ...outbox({ ...outboxSource, failure: "failure", caller: "caller" })],
					},
				]
			: []),
	],
});
