/** What plugins tell the operator of: something that should be known now, though nobody is looking. */
import { type SQL, sql } from "drizzle-orm";
import { type Statement, slot } from "#core";

/** The owner of the deliveries that carry alerts; no token has such an id. */
export const alertOwner = "alerts";

/** How often one and the same is told. */
export interface Telling {
	/** The same event about the same is told once in so many milliseconds. */
	readonly quietMs: number;
	/** The event whose end this is: told only where that was told, and its end has not been. */
	readonly ends?: string;
}

/** Told once: what it is about has a name that never comes again. */
export const onceMs = 400 * 86_400_000;

/** One thing to be told. */
export interface Alert extends Telling {
	/** `circuit.opened`, `delivery.dead` … */
	readonly event: string;
	/** What it is about: the upstream, the token … */
	readonly about: string;
	/**
	 * What the receiver gets as `data`. `message` says it in a sentence, where `{token}` becomes the token's name and id;
	 * `token`, its id, gets the name beside it.
	 */
	readonly data: Readonly<Record<string, string | number | null | undefined>>;
}

export interface Alerts {
	/** The shares of an amount whose crossing is told: 0.8. */
	readonly shares: readonly number[];
	/** How long before its end a token is told of. */
	readonly expiringMs: number;
	/**
	 * Belongs in the batch in which it happens, so that it is told if and only if it happened. `rows`: a SELECT of `event`,
	 * `about` and `data` (JSON), one row for each alert.
	 *
	 * @example
	 * const row = sql`SELECT 'door.opened' AS event, ${door} AS about, json_object('door', ${door}) AS data`;
	 * await store.write([opening, ...needs.alerts().map((alerts) => alerts.enqueue(row, { quietMs: 60_000 }))]);
	 */
	enqueue(rows: SQL, telling: Telling): Statement;
	/** Tells of what no batch writes. Never throws: it is written soon, and again where the database refuses. */
	raise(alert: Alert): void;
}

export const alerts = slot<Alerts>("alerts");

const dayMs = 86_400_000;

/** An upstream refuses Portico's key. `key`: its place in the config, where there are several; `said`: the upstream's own words. */
export const keyRefused = (
	upstream: string,
	{ key, status, said }: { readonly key?: number; readonly status?: number; readonly said?: string },
): Alert => ({
	event: "key.refused",
	about: `${upstream} ${key ?? 1}`,
	quietMs: dayMs,
	data: {
		message: `The upstream ${upstream} refuses ${key === undefined ? "Portico's key" : `key ${key}`}, or its account has no credit: give it another, or pay.`,
		upstream,
		key: key ?? 1,
		status,
		said,
	},
});

/** Tells everyone who listens. */
export const raiseOn = (all: readonly Alerts[], alert: Alert): void => {
	for (const one of all) one.raise(alert);
};

/** Statements for a batch; none where nobody listens. */
export const enqueueOn = (all: readonly Alerts[], rows: SQL, telling: Telling): readonly Statement[] =>
	all.map((one) => one.enqueue(rows, telling));

/** One alert as a row. */
export const rowOf = ({ event, about, data }: Alert): SQL =>
	sql`SELECT ${event} AS event, ${about} AS about, ${JSON.stringify(data)} AS data`;
