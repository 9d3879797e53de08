/** How long the database takes, as this process sees it. */
import { Histogram, type Metric } from "./service.ts";

/** Seconds: from a read of a file to a server that is far away and busy. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const fresh = () => ({ read: new Histogram(bounds), write: new Histogram(bounds) });

export class StoreTimes {
	private of = fresh();

	readonly observe = (operation: "read" | "write", milliseconds: number): void =>
		this.of[operation].observe(milliseconds / 1000);

	close(): void {
		this.of = fresh();
	}

	metrics(): readonly Metric[] {
		return [
			{
				name: "portico_store_latency_seconds",
				type: "histogram",
				help: "How long operations on the database took, waits for a busy one included.",
				samples: Object.entries(this.of).flatMap(([op, times]) => times.samples({ op })),
			},
		];
	}
}
