/** The outbox as a queue: rows are claimed with a lease, their outcome recorded under it, and leases of the dead taken over. */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, asRecord, asText, parseJson, type Statement, type Store, valueList, type WireRecord } from "#core";
import type { Reach } from "./receiver-concurrency.ts";
import { type AttemptResult, localFault } from "./sender.ts";
import type { Receiver } from "./service.ts";

/** Waits after the end of each failed attempt, in milliseconds; after the last there is none. */
const retryDelaysMs: readonly number[] = [10_000, 30_000, 60_000];

/** How long a claim holds without word of its claimer: the time limit of an attempt, and ten seconds to record it. */
export const leaseMs = 15_000;

/** Wait after an attempt that this machine could not make, in milliseconds. */
const localFaultDelayMs = 1000;

/** Claims that may be lost before one counts as a failed attempt. */
const lostLimit = 3;

/** Later than any wait there is: such a time came from a clock that was wrong. */
const latestDueMs = 61_000;

/** A claimed delivery. */
export interface Delivery {
	readonly id: string;
	readonly owner: string;
	/** Whose share of the places for attempts it takes. */
	readonly caller: string;
	readonly subject: string;
	readonly sequence: number;
	readonly url: string;
	readonly origin: string;
	readonly body: string;
	/** What went wrong, where the status says that something did. */
	readonly failure: { readonly code: string; readonly reason: string } | undefined;
	/** Attempts that have failed before this one. */
	readonly attempts: number;
	/** Asked for by hand: a failure schedules nothing. */
	readonly manual: boolean;
	/** An earlier attempt has succeeded, so a failure now does not make it dead. */
	readonly delivered: boolean;
	readonly lease: string;
}

export interface Candidate {
	readonly id: string;
	readonly owner: string;
	readonly caller: string;
	readonly origin: string;
}

/** An attempt that ended, with wall times in milliseconds. */
export interface Ended {
	readonly delivery: Delivery;
	readonly startedAt: number;
	readonly endedAt: number;
	readonly result: AttemptResult;
}

export interface Queue {
	/**
	 * Rows that are due, oldest first: one for each subject, its first status first, none of a subject with an attempt
	 * in flight. A waiting retry holds nothing back; a first attempt does.
	 */
	due(now: number, reach: Reach, limit: number): Promise<readonly Candidate[]>;
	/** Leases those of the rows that are still free. */
	claim(ids: readonly string[], lease: string, now: number): Promise<readonly Delivery[]>;
	/** What records attempts; the second gives how the deliveries then stand. Without effect where the lease was taken over, but for the log. */
	record(batch: readonly Ended[]): readonly Statement[];
	/** Takes over leases that ran out, but for `held`, and puts right what a wrong clock wrote. Returns how many rows became due. */
	recover(now: number, held: readonly string[]): Promise<number>;
	/** When the next row becomes due, of those that are not; undefined when there is none. */
	nextDue(now: number): Promise<number | undefined>;
}

/** No attempt of the same subject is in flight, and none of an earlier status is to be made first. */
const free = (now: number) => sql`
	NOT EXISTS (SELECT 1 FROM deliveries s WHERE s.subject = d.subject AND s.state = 'sending')
	AND NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.subject = d.subject AND e.state = 'pending'
		AND e.sequence < d.sequence AND (e.attempts = 0 OR e.due_at <= ${now}))`;

const caller = sql`coalesce(d.caller, d.owner)`;
/** As `loadName` has it. */
const load = sql`${caller} || ' ' || d.origin`;

const within = ({ only, narrowed, open, full }: Reach) =>
	only
		? sql`${load} IN ${valueList(open)}`
		: sql`(${caller} NOT IN ${valueList(narrowed)} AND ${load} NOT IN ${valueList(full)} OR ${load} IN ${valueList(open)})`;

const failureOf = (value: unknown): Delivery["failure"] => {
	if (typeof value !== "string") return undefined;
	const { code, reason } = asRecord(parseJson(value));
	return { code: asText(code) ?? "", reason: asText(reason) ?? "" };
};

const deliveryOf = (row: WireRecord): Delivery => ({
	id: asText(row.id) ?? "",
	owner: asText(row.owner) ?? "",
	caller: asText(row.caller) ?? asText(row.owner) ?? "",
	subject: asText(row.subject) ?? "",
	sequence: asNumber(row.sequence) ?? 0,
	url: asText(row.url) ?? "",
	origin: asText(row.origin) ?? "",
	body: asText(row.body) ?? "",
	failure: failureOf(row.failure),
	attempts: asNumber(row.attempts) ?? 0,
	manual: row.manual === 1,
	delivered: row.delivered_at !== null,
	lease: asText(row.lease) ?? "",
});

/** Where a delivery stands after an attempt. One that this machine itself prevented counts for nothing. */
const after = ({ delivery, endedAt, result }: Ended): { state: string; attempts: number; dueAt: number } => {
	const end = Math.ceil(endedAt);
	if (result.error === localFault)
		return { state: "pending", attempts: delivery.attempts, dueAt: end + localFaultDelayMs };
	const attempts = delivery.attempts + 1;
	if (result.error === undefined) return { state: "delivered", attempts, dueAt: end };
	const wait = delivery.manual ? undefined : retryDelaysMs[delivery.attempts];
	if (wait !== undefined) return { state: "pending", attempts, dueAt: end + wait };
	return { state: delivery.delivered ? "delivered" : "dead", attempts, dueAt: end };
};

/** What is written of an attempt that ended. */
const outcomeOf = (ended: Ended) => {
	const { delivery, startedAt, endedAt, result } = ended;
	const { state, attempts, dueAt } = after(ended);
	const end = Math.ceil(endedAt);
	return {
		id: delivery.id,
		lease: delivery.lease,
		number: delivery.attempts + 1,
		cause: delivery.manual ? "manual" : "schedule",
		startedAt: Math.floor(startedAt),
		durationMs: result.durationMs,
		address: result.address ?? null,
		status: result.status ?? null,
		error: result.error ?? null,
		state,
		attempts,
		dueAt,
		finishedAt: state === "pending" ? null : end,
		deliveredAt: result.error === undefined ? end : null,
		manual: delivery.manual && state === "pending" ? 1 : 0,
	};
};

/** What is told of deliveries that are dead now: one row for each token and address. */
const deadRows = (
	which: SQL,
	receivers: readonly Receiver[],
) => sql`SELECT 'delivery.dead' AS event, d.owner || ' ' || d.origin AS about, json_object(
		'message', 'Callbacks to ' || rtrim(d.origin, '/') || ' fail as often as they are tried: ask who runs it, then send them again with portico deliveries redeliver.',
		'token', d.owner, 'receiver', d.origin, 'delivery', d.id, 'task', d.subject,
		'error', (SELECT error FROM delivery_attempts l WHERE l.delivery = d.id ORDER BY l.started_at DESC LIMIT 1),
		'since', strftime('%Y-%m-%dT%H:%M:%fZ', min(d.created_at) / 1000.0, 'unixepoch'), 'dead', count(*)) AS data
	FROM deliveries d WHERE d.state = 'dead' AND d.owner NOT IN ${valueList(receivers.map(({ owner }) => owner))} AND ${which} GROUP BY d.owner, d.origin`;

/** Tells the operator's own receivers, never of what was theirs. */
const tellGivenUp = (receivers: readonly Receiver[], which: SQL): readonly Statement[] =>
	receivers.flatMap((receiver) => receiver.givenUp(deadRows(which, receivers)));

export const createQueue = (store: Store, receivers: () => readonly Receiver[] = () => []): Queue => ({
	async due(now, reach, limit) {
		const rows = await store.all(sql`
			SELECT d.id, d.owner, ${caller} AS caller, d.origin FROM deliveries d
			WHERE d.state = 'pending' AND d.due_at <= ${now}
				AND ${within(reach)}
				AND ${free(now)}
			ORDER BY d.due_at, d.id LIMIT ${limit}`);
		return rows.map(({ id, owner, caller, origin }) => ({
			id: String(id),
			owner: String(owner),
			caller: String(caller),
			origin: String(origin),
		}));
	},
	async claim(ids, lease, now) {
		const [written] = await store.write([
			sql`UPDATE deliveries AS d SET state = 'sending', lease = ${lease}, lease_until = ${now + leaseMs}
				WHERE d.id IN ${valueList(ids)} AND (d.lease IS ${lease} OR (d.state = 'pending' AND d.due_at <= ${now} AND ${free(now)}))
				RETURNING id, owner, caller, subject, sequence, url, origin, body, failure, attempts, manual, delivered_at, lease`,
		]);
		return (written?.rows ?? []).map(deliveryOf);
	},
	record(batch) {
		// All rows go as one JSON text: two statements whatever the size of the batch.
		const outcomes = batch.map(outcomeOf);
		const rows = sql`json_each(${JSON.stringify(outcomes)})`;
		const dead = outcomes.filter(({ state }) => state === "dead").map(({ id }) => id);
		return [
			sql`INSERT INTO delivery_attempts (delivery, lease, number, cause, started_at, duration_ms, address, status, error)
				SELECT value->>'id', value->>'lease', value->>'number', value->>'cause', value->>'startedAt', value->>'durationMs',
					value->>'address', value->>'status', value->>'error' FROM ${rows} WHERE true
				ON CONFLICT DO NOTHING`,
			sql`UPDATE deliveries SET state = r.value->>'state', attempts = r.value->>'attempts', due_at = r.value->>'dueAt',
					finished_at = r.value->>'finishedAt', delivered_at = coalesce(delivered_at, r.value->>'deliveredAt'),
					manual = r.value->>'manual', lost = 0, lease = NULL, lease_until = NULL
				FROM ${rows} AS r WHERE deliveries.id = r.value->>'id' AND deliveries.lease = r.value->>'lease'
				RETURNING id, state`,
			...(dead.length === 0 ? [] : tellGivenUp(receivers(), sql`d.id IN ${valueList(dead)}`)),
		];
	},
	async recover(now, held) {
		const gone = sql`state = 'sending' AND (lease_until < ${now} OR lease_until > ${now + leaseMs + latestDueMs}) AND id NOT IN ${valueList(held)}`;
		const steps = retryDelaysMs.map((delay, failed) => sql`WHEN ${failed} THEN ${delay}`);
		const wait = sql`CASE WHEN lost < ${lostLimit} THEN 0 ELSE CASE attempts ${sql.join(steps, sql` `)} ELSE 0 END END`;
		const spent = sql`lost >= ${lostLimit} AND (manual = 1 OR attempts >= ${retryDelaysMs.length})`;
		const results = await store.write([
			sql`INSERT INTO delivery_attempts (delivery, lease, number, cause, started_at, duration_ms, error)
				SELECT id, lease, attempts + 1, 'lost', lease_until - ${leaseMs}, ${leaseMs}, 'lease_lost' FROM deliveries WHERE ${gone}
				ON CONFLICT DO NOTHING`,
			sql`UPDATE deliveries SET
					state = CASE WHEN NOT (${spent}) THEN 'pending' WHEN delivered_at IS NULL THEN 'dead' ELSE 'delivered' END,
					finished_at = CASE WHEN ${spent} THEN ${now} ELSE NULL END,
					due_at = ${now} + ${wait},
					attempts = attempts + (lost >= ${lostLimit}),
					lost = CASE WHEN lost >= ${lostLimit} THEN 0 ELSE lost + 1 END,
					lease = NULL, lease_until = NULL
				WHERE ${gone}`,
			sql`UPDATE deliveries SET due_at = ${now} WHERE state = 'pending' AND due_at > ${now + latestDueMs}`,
			...tellGivenUp(receivers(), sql`d.finished_at = ${now}`),
		]);
		return (results[1]?.changes ?? 0) + (results[2]?.changes ?? 0);
	},
	async nextDue(now) {
		const [row] = await store.all(
			sql`SELECT min(due_at) AS due FROM deliveries WHERE state = 'pending' AND due_at > ${now}`,
		);
		return asNumber(row?.due);
	},
});
