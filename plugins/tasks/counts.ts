/** Counts tasks: those that ended by how they did, and those that are open now, whichever node looks after them. */
import { sql } from "drizzle-orm";
import { asNumber, asText, type Store } from "#core";
import { Histogram, type Metric } from "../metrics/service.ts";
import type { Task } from "./service.ts";

interface Ended {
	readonly labels: { readonly kind: string; readonly outcome: string };
	count: number;
	readonly took: Histogram;
}

export class TaskCounts {
	private readonly byKind = new Map<string, Ended>();

	note({ kind, status, submittedAt, finishedAt }: Task): void {
		if (status !== "SUCCESS" && status !== "FAILURE") return;
		const outcome = status === "SUCCESS" ? "succeeded" : "failed";
		const name = `${kind} ${outcome}`;
		const ended = this.byKind.get(name) ?? { labels: { kind, outcome }, count: 0, took: new Histogram() };
		this.byKind.set(name, ended);
		ended.count++;
		ended.took.observe(Math.max(0, finishedAt - submittedAt) / 1000);
	}

	close(): void {
		this.byKind.clear();
	}

	metrics(): readonly Metric[] {
		const ended = [...this.byKind.values()];
		return [
			{
				name: "portico_tasks_ended_total",
				type: "counter",
				help: "Tasks that are over.",
				samples: ended.map(({ labels, count }) => ({ labels, value: count })),
			},
			{
				name: "portico_task_duration_seconds",
				type: "histogram",
				help: "From a task's submission to its end.",
				samples: ended.flatMap(({ labels, took }) => took.samples(labels)),
			},
		];
	}
}

export const openTasks = async (store: Store): Promise<Metric> => {
	const rows = await store.all(
		sql`SELECT kind, status, count(*) AS tasks FROM tasks WHERE due_at IS NOT NULL GROUP BY kind, status`,
	);
	return {
		name: "portico_tasks",
		type: "gauge",
		together: "highest",
		help: "Tasks that somebody looks after, by kind and state.",
		samples: rows.map(({ kind, status, tasks }) => ({
			labels: { kind: asText(kind) ?? "", state: asText(status) ?? "" },
			value: asNumber(tasks) ?? 0,
		})),
	};
};
