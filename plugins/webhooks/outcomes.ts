/** Counts what becomes of deliveries, and says in the log when one is given up: nobody else would tell. */
import { sql } from "drizzle-orm";
import { asNumber, asText, type Log, type Store, type WireRecord } from "#core";
import { figure, Histogram, type Metric } from "../metrics/service.ts";
import type { Ended } from "./queue.ts";

type Outcome = "delivered" | "retried" | "dead";

const outcomeOf = (state: unknown): Outcome => (state === "delivered" || state === "dead" ? state : "retried");

export class Outcomes {
	private readonly log: Log;
	private readonly counts: Record<Outcome, number> = { delivered: 0, retried: 0, dead: 0 };
	private readonly took = new Histogram();

	constructor(log: Log) {
		this.log = log;
	}

	/** `rows`: `id` and `state` of the deliveries as they now stand; `batch`: the attempts that led there. */
	note(rows: readonly WireRecord[], batch: readonly Ended[]): void {
		const attempts = new Map(batch.map((ended) => [ended.delivery.id, ended]));
		for (const { id, state } of rows) {
			const outcome = outcomeOf(state);
			this.counts[outcome]++;
			const ended = attempts.get(asText(id) ?? "");
			if (ended) this.took.observe(ended.result.durationMs / 1000);
			if (outcome === "dead") this.dead(asText(id) ?? "", ended);
		}
	}

	private dead(id: string, ended: Ended | undefined): void {
		this.log.error(
			"a delivery is dead: it failed as often as it is tried; send it again with POST /admin/deliveries/redeliver",
			{
				delivery: id,
				...(ended && {
					token_id: ended.delivery.owner,
					task: ended.delivery.subject,
					receiver: ended.delivery.origin,
					attempts: ended.delivery.attempts + 1,
					error: ended.result.error,
					status: ended.result.status,
				}),
			},
		);
	}

	close(): void {
		this.counts.delivered = this.counts.retried = this.counts.dead = 0;
	}

	metrics(): readonly Metric[] {
		return [
			{
				name: "portico_deliveries_total",
				type: "counter",
				help: "Attempts to deliver a callback: delivered, retried later, or dead, the last one having failed.",
				samples: Object.entries(this.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
			},
			{
				name: "portico_delivery_attempt_seconds",
				type: "histogram",
				help: "How long attempts to deliver took.",
				samples: this.took.samples({}),
			},
		];
	}
}

/** Deliveries that wait, whichever node will send them. */
export const waiting = async (store: Store): Promise<Metric> => {
	const [row] = await store.all(sql`SELECT count(*) AS waiting FROM deliveries WHERE state = 'pending'`);
	return figure(
		"portico_deliveries_waiting",
		"gauge",
		"Callbacks that wait to be sent.",
		asNumber(row?.["waiting"]) ?? 0,
		"highest",
	);
};
