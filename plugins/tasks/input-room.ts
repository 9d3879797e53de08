/**
 * How much the inputs of open tasks may take in the database: of one token, of all tokens of a person, who may make as many as they like,
 * and in all. They leave when their task ends.
 */
import { type SQL, sql } from "drizzle-orm";
import { type AccessToken, asNumber, type Denial, deny, type Store, type Tables } from "#core";
import type { TokenOwnership } from "../tokens/service.ts";

interface InputLimits {
	/** Bytes. */
	readonly perToken: number;
	readonly total: number;
}

/** Sizes stand apart from the inputs, which are long to read. */
export const inputSizeTables: Tables = {
	plugin: "tasks",
	migrations: [
		{
			name: "0001-input-sizes",
			statements: [
				"CREATE TABLE task_input_sizes (task_id TEXT PRIMARY KEY, token_id TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT",
				"CREATE INDEX task_input_sizes_token ON task_input_sizes (token_id, bytes)",
				`INSERT INTO task_input_sizes SELECT i.task_id, t.token_id, length(CAST(i.input AS BLOB))
					FROM task_inputs i JOIN tasks t ON t.id = i.task_id`,
				`CREATE TRIGGER task_inputs_came AFTER INSERT ON task_inputs BEGIN
					INSERT INTO task_input_sizes SELECT NEW.task_id, token_id, length(CAST(NEW.input AS BLOB))
						FROM tasks WHERE id = NEW.task_id;
				END`,
				`CREATE TRIGGER task_inputs_left AFTER DELETE ON task_inputs BEGIN
					DELETE FROM task_input_sizes WHERE task_id = OLD.task_id;
				END`,
			],
		},
	],
};

type Holder = Pick<AccessToken, "id" | "owner">;

export interface InputRoom {
	/** Whether an input of this size finds room: a condition for the statement that makes its task, so that of several at once each counts. */
	fits(token: Holder, bytes: number): SQL;
	/** Why one found none. */
	denial(token: Holder, bytes: number): Promise<Denial>;
}

const full = (whose: string, limit: number): Denial =>
	deny(
		"rate_limited",
		`The inputs of the open tasks of ${whose} would take more than ${limit} bytes. Wait for one to end, or send pictures by address.`,
		{ code: "task_inputs_full", retryAfterSeconds: 10 },
	);

export const createInputRoom = (
	store: Store,
	{ perToken, total }: InputLimits,
	tokens: Pick<TokenOwnership, "ownedBy"> | undefined,
): InputRoom => {
	const perPerson = total / 2;
	const own = ({ id }: Holder): SQL =>
		sql`(SELECT coalesce(sum(bytes), 0) FROM task_input_sizes WHERE token_id = ${id})`;
	const owners = ({ owner }: Holder): SQL =>
		owner && tokens
			? sql`(SELECT coalesce(sum(bytes), 0) FROM task_input_sizes WHERE token_id IN (${tokens.ownedBy(owner.id)}))`
			: sql`0`;
	return {
		fits: (token, bytes) =>
			sql`${own(token)} + ${bytes} <= ${perToken} AND (${owners(token)} = 0 OR ${owners(token)} + ${bytes} <= ${perPerson})
				AND (SELECT coalesce(sum(bytes), 0) FROM task_input_sizes) + ${bytes} <= ${total}`,
		async denial(token, bytes) {
			const [row] = await store.all(sql`SELECT ${own(token)} AS own, ${owners(token)} AS owners`);
			if ((asNumber(row?.["own"]) ?? 0) + bytes > perToken) return full("this token", perToken);
			const theirs = asNumber(row?.["owners"]) ?? 0;
			if (theirs > 0 && theirs + bytes > perPerson) return full("all tokens of this key's owner", perPerson);
			return deny("overloaded", "Open tasks have all the room there is for their inputs. Ask again soon.", {
				retryAfterSeconds: 10,
			});
		},
	};
};
