/** Tells of tokens whose end is near: once each, while there is time to give them a later one. */
import { sql } from "drizzle-orm";
import type { Statement } from "#core";
import { type Alerts, onceMs } from "../alerts/service.ts";
import type { TokenOwnership } from "../tokens/service.ts";

/** `value` is a date with its zone, as `expires-at.ts` takes it. A token that never had longer to live is no news. */
export const tellExpiring = (
	all: readonly Alerts[],
	tokens: TokenOwnership,
	setting: string,
	now: number,
): readonly Statement[] =>
	all.map((alerts) => {
		const end = sql`unixepoch(e.value) * 1000`;
		const rows = sql`SELECT 'token.expiring' AS event, e.id || ' ' || e.value AS about, json_object(
				'message', 'The token ' || e.name || ' expires at ' || e.value || ': portico token update ' || e.id || ' --expires-at DATE gives it longer.',
				'token', e.id, 'expiresAt', e.value) AS data
			FROM (${tokens.having(setting)}) AS e
			WHERE ${end} > ${now} AND ${end} <= ${now + alerts.expiringMs} AND ${end} - e.created_at > ${alerts.expiringMs}`;
		return alerts.enqueue(rows, { quietMs: onceMs });
	});
