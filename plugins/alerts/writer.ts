/** Writes the alerts that no batch of others brings; again, while the database refuses. */
import { type Clock, describe, type Log, type Store } from "#core";
import { type Alert, type Alerts, rowOf } from "./service.ts";

/** When more than this wait for the database, the oldest are given up. */
const mostWaiting = 1_000;
const retryMs = 1_000;

interface AlertWriterOptions {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly enqueue: Alerts["enqueue"];
	/** They are written: they may be sent. */
	written(): void;
}

export class AlertWriter {
	private readonly options: AlertWriterOptions;
	private waiting: Alert[] = [];
	private running: Promise<void> | undefined;

	constructor(options: AlertWriterOptions) {
		this.options = options;
	}

	add(alert: Alert): void {
		this.waiting.push(alert);
		if (this.waiting.length > mostWaiting) this.waiting.shift();
		void this.flush();
	}

	/** Resolves when all that wait have been written, or the database has refused them. Never rejects. */
	flush(): Promise<void> {
		this.running ??= this.write().finally(() => {
			this.running = undefined;
		});
		return this.running;
	}

	private async write(): Promise<void> {
		const { store, clock, log, enqueue, written } = this.options;
		while (this.waiting.length > 0) {
			const alerts = this.waiting;
			this.waiting = [];
			try {
				await store.write(alerts.map((alert) => enqueue(rowOf(alert), alert)));
				written();
			} catch (error) {
				this.waiting = [...alerts, ...this.waiting];
				log.warn("alerts could not be written and will be tried again", {
					alerts: this.waiting.length,
					error: describe(error),
				});
				clock.after(retryMs, () => void this.flush());
				return;
			}
		}
	}
}
