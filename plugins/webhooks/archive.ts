/** What owners see and do with their deliveries: lists, single ones with their attempts, sending again; and what time removes. */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asText, type Statement, type Store, valueList, type WireRecord } from "#core";
import type { AttemptView, DeliveryView } from "./service.ts";

export interface DeliveryFilter {
	readonly status?: string;
	readonly subject?: string;
	/** The id after which to go on. */
	readonly after?: string;
	readonly limit: number;
}

/** How long finished deliveries are kept, in milliseconds. */
interface Retention {
	readonly deliveredMs: number;
	readonly deadMs: number;
}

/** Rows removed in one write. */
const pruneSize = 500;

/** A condition (` AND …`) on whose deliveries may be changed, and what is written in the same batch. */
export interface Allowed {
	readonly whose: SQL;
	readonly beside: readonly Statement[];
}

export const ownedBy = (token: string): SQL => sql` AND owner = ${token}`;

export interface Archive {
	/** Newest first, of one token or of all. `more`: there are further ones after the last. */
	list(
		owner: string | undefined,
		filter: DeliveryFilter,
		/** A further condition, ` AND …`: whose alone may be seen. */
		whose?: SQL,
	): Promise<{ readonly data: readonly DeliveryView[]; readonly more: boolean }>;
	ofSubject(owner: string, subject: string): Promise<readonly DeliveryView[]>;
	/** `whose`: a further condition, ` AND …`: whose alone may be seen. */
	find(id: string, whose: SQL): Promise<DeliveryView | undefined>;
	/** Makes one attempt due now. False when one is under way, so that nothing was changed. */
	redeliver(id: string, now: number, more: Allowed): Promise<boolean>;
	/** The same for every dead delivery, of one token or of all, that was made in a span of time; returns how many. */
	redeliverDead(owner: string | undefined, from: number, to: number, now: number, more?: Allowed): Promise<number>;
	prune(now: number, retention: Retention): Promise<void>;
}

/** Milliseconds as the seconds that views show, with their decimals. */
const seconds = (milliseconds: number): number => milliseconds / 1000;

const attemptOf = (row: WireRecord): AttemptView => ({
	object: "delivery.attempt",
	number: asNumber(row.number) ?? 0,
	cause: row.cause === "manual" || row.cause === "lost" ? row.cause : "schedule",
	started_at: seconds(asNumber(row.started_at) ?? 0),
	duration_ms: asNumber(row.duration_ms) ?? 0,
	address: asText(row.address) ?? null,
	status: asNumber(row.status) ?? null,
	error: asText(row.error) ?? null,
});

const stateOf = (value: unknown): DeliveryView["status"] =>
	value === "sending" || value === "delivered" || value === "dead" ? value : "pending";

const viewOf = (row: WireRecord, attempts: readonly AttemptView[]): DeliveryView => ({
	id: asText(row.id) ?? "",
	object: "delivery",
	subject: asText(row.subject) ?? "",
	sequence: asNumber(row.sequence) ?? 0,
	event: asText(row.event) ?? "",
	token: asText(row.owner) ?? "",
	url: asText(row.url) ?? "",
	status: stateOf(row.state),
	created_at: seconds(asNumber(row.created_at) ?? 0),
	next_attempt_at: row.state === "pending" ? seconds(asNumber(row.due_at) ?? 0) : null,
	finished_at: typeof row.finished_at === "number" ? seconds(row.finished_at) : null,
	attempts,
});

const of = (owner: string | undefined): SQL => (owner === undefined ? sql`1` : sql`d.owner = ${owner}`);

/** The next claim takes it: due now. One that was over gets this one attempt; one that waits keeps those it has left. */
const byHand = (now: number): SQL =>
	sql`UPDATE deliveries SET state = 'pending', manual = iif(state = 'pending', manual, 1), due_at = ${now}, finished_at = NULL`;

export const createArchive = (store: Store): Archive => {
	const read = async (where: SQL, order: SQL): Promise<readonly DeliveryView[]> => {
		const rows = await store.all(sql`SELECT * FROM deliveries d WHERE ${where} ${order}`);
		const ids = valueList(rows.map(({ id }) => String(id)));
		const attempts = await store.all(
			sql`SELECT * FROM delivery_attempts WHERE delivery IN ${ids} ORDER BY started_at, number`,
		);
		const byDelivery = Map.groupBy(attempts, ({ delivery }) => delivery);
		return rows.map((row) => viewOf(row, (byDelivery.get(row.id) ?? []).map(attemptOf)));
	};

	return {
		async list(owner, { status, subject, after, limit }, whose = sql``) {
			const where = [sql`${of(owner)}${whose}`];
			// Written out, so that the index of the dead is found.
			if (status === "dead") where.push(sql`d.state = 'dead'`);
			else if (status !== undefined) where.push(sql`d.state = ${status}`);
			if (subject !== undefined) where.push(sql`d.subject = ${subject}`);
			if (after !== undefined)
				where.push(
					sql`(d.created_at, d.id) < (SELECT a.created_at, a.id FROM deliveries a WHERE a.id = ${after} AND ${owner === undefined ? sql`1` : sql`a.owner = ${owner}`})`,
				);
			const found = await read(
				sql.join(where, sql` AND `),
				sql`ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`,
			);
			return { data: found.slice(0, limit), more: found.length > limit };
		},
		ofSubject: (owner, subject) => read(sql`d.owner = ${owner} AND d.subject = ${subject}`, sql`ORDER BY d.sequence`),
		async find(id, whose) {
			const [found] = await read(sql`d.id = ${id}${whose}`, sql`LIMIT 1`);
			return found;
		},
		async redeliver(id, now, { whose, beside }) {
			const [written] = await store.write([
				sql`${byHand(now)} WHERE id = ${id}${whose} AND state <> 'sending'`,
				...beside,
			]);
			return (written?.changes ?? 0) > 0;
		},
		async redeliverDead(owner, from, to, now, { whose, beside } = { whose: sql``, beside: [] }) {
			const [written] = await store.write([
				sql`${byHand(now)} WHERE ${owner === undefined ? sql`1` : sql`owner = ${owner}`}${whose} AND state = 'dead' AND created_at >= ${from} AND created_at < ${to}`,
				...beside,
			]);
			return written?.changes ?? 0;
		},
		async prune(now, { deliveredMs, deadMs }) {
			for (;;) {
				const old = sql`SELECT id FROM deliveries WHERE finished_at IS NOT NULL
					AND ((state = 'delivered' AND finished_at < ${now - deliveredMs}) OR (state = 'dead' AND finished_at < ${now - deadMs}))
					ORDER BY finished_at, id LIMIT ${pruneSize}`;
				const [, removed] = await store.write([
					sql`DELETE FROM delivery_attempts WHERE delivery IN (${old})`,
					sql`DELETE FROM deliveries WHERE id IN (${old})`,
				]);
				if ((removed?.changes ?? 0) < pruneSize) return;
			}
		},
	};
};
