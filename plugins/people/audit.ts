/** Who changed what, and when: one row in the batch of each change. */
import { sql } from "drizzle-orm";
import { asNumber, asText, parseJson, type Statement, type Store } from "#core";
import type { Change, Changing } from "./service.ts";

interface AuditLine {
	readonly id: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly operator: { readonly id: string; readonly name: string };
	readonly address: string | null;
	readonly verb: string;
	readonly kind: string;
	readonly object: string;
	readonly name: string | null;
	readonly changes: unknown;
}

/** What was nothing and is nothing is no change. */
const told = (changes: NonNullable<Change["changes"]>): NonNullable<Change["changes"]> =>
	Object.fromEntries(Object.entries(changes).filter(([, { from, to }]) => from !== undefined || to !== undefined));

/** The row's id is the call's, so that a batch which is written twice leaves one line of each. */
export const auditEntry = (
	{ id, operator, address }: Changing,
	at: number,
	{ verb, kind, object, name, changes = {} }: Change,
): Statement =>
	sql`INSERT INTO audit (id, at, operator, operator_name, address, verb, kind, object, name, changes)
		VALUES (${`${id}:${verb}:${object}`}, ${at}, ${operator.id}, ${operator.name}, ${address ?? null}, ${verb}, ${kind}, ${object}, ${name ?? null}, ${JSON.stringify(told(changes))})
		ON CONFLICT (id) DO NOTHING`;

interface AuditQuery {
	readonly limit: number;
	/** The id of the last line of the page before. */
	readonly after?: string;
	readonly operator?: string;
	readonly object?: string;
}

/** Newest first. */
export const auditLines = async (store: Store, query: AuditQuery): Promise<readonly AuditLine[]> => {
	const { limit, after = null, operator = null, object = null } = query;
	const rows = await store.all(
		sql`SELECT * FROM audit
			WHERE (${operator} IS NULL OR operator = ${operator}) AND (${object} IS NULL OR object = ${object})
				AND (${after} IS NULL OR (at, id) < (SELECT at, id FROM audit WHERE id = ${after}))
			ORDER BY at DESC, id DESC LIMIT ${limit}`,
	);
	return rows.map((row) => ({
		id: asText(row["id"]) ?? "",
		at: asNumber(row["at"]) ?? 0,
		operator: { id: asText(row["operator"]) ?? "", name: asText(row["operator_name"]) ?? "" },
		address: asText(row["address"]) ?? null,
		verb: asText(row["verb"]) ?? "",
		kind: asText(row["kind"]) ?? "",
		object: asText(row["object"]) ?? "",
		name: asText(row["name"]) ?? null,
		changes: parseJson(asText(row["changes"]) ?? "{}"),
	}));
};
