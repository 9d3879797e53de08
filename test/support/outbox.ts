/** A table with an outbox, and the webhooks plugin's parts put together by hand so that tests can move the clock and choose the resolver. */
import type { Resolve, Tables } from "#core";
import { createLog } from "../../core/runtime/log.ts";
import { createArchive, ownedBy } from "../../plugins/webhooks/archive.ts";
import { Dispatcher } from "../../plugins/webhooks/dispatcher.ts";
import { Outcomes } from "../../plugins/webhooks/outcomes.ts";
import { createQueue } from "../../plugins/webhooks/queue.ts";
import { ReceiverConcurrency } from "../../plugins/webhooks/receiver-concurrency.ts";
import { AttemptRecorder } from "../../plugins/webhooks/recorder.ts";
import { SecretBook } from "../../plugins/webhooks/secrets.ts";
import { createSender, type Send } from "../../plugins/webhooks/sender.ts";
import type { DeliveryView } from "../../plugins/webhooks/service.ts";
import { outboxTriggers, webhookTables } from "../../plugins/webhooks/tables.ts";
import { createMovedClock, type MovedClock } from "./moved-clock.ts";
import { quiet } from "./quiet.ts";
import { createScratchStore, type ScratchStore } from "./scratch-store.ts";

/** A token called `ada/1` is the person `ada`'s; one without a stroke is nobody's. */
const things: Tables = {
	plugin: "things",
	migrations: [
		{
			name: "0001-things",
			statements: [
				`CREATE TABLE things (id TEXT PRIMARY KEY, owner TEXT NOT NULL, status TEXT NOT NULL, seq INTEGER NOT NULL,
					hook TEXT NOT NULL, callback TEXT NOT NULL, changed_at INTEGER NOT NULL,
					caller TEXT AS (substr(owner, 1, instr(owner || '/', '/') - 1)))`,
				...outboxTriggers({
					table: "things",
					subject: "id",
					owner: "owner",
					caller: "caller",
					status: "status",
					sequence: "seq",
					url: "hook",
					body: "callback",
					at: "changed_at",
				}),
			],
		},
	],
};

export interface OutboxOptions {
	readonly success?: "200" | "2xx";
	readonly allowPrivateNetworks?: boolean;
	readonly resolve?: Resolve;
	readonly overall?: number;
	readonly perReceiver?: number;
	/** In place of the sender. */
	readonly send?: Send;
	/** Another node on the same database. */
	readonly beside?: Outbox;
	readonly clock?: MovedClock;
	readonly folder?: string;
}

export interface Outbox {
	readonly store: ScratchStore;
	readonly clock: MovedClock;
	readonly dispatcher: Dispatcher;
	readonly secrets: SecretBook;
	readonly concurrency: ReceiverConcurrency;
	/** Inserts a thing whose status is `first`, then changes its status to each of `then`. */
	put(id: string, hook: string, ...statuses: string[]): Promise<void>;
	change(id: string, status: string): Promise<void>;
	/** What happens every second, and the claims that follow from it. */
	tick(): Promise<void>;
	/** Moves the clock by so much, in steps small enough that work between them can happen. */
	pass(milliseconds: number): Promise<void>;
	deliveries(id: string): Promise<readonly DeliveryView[]>;
	redeliver(delivery: string): Promise<boolean>;
	close(): Promise<void>;
}

export const createOutbox = async (options: OutboxOptions = {}): Promise<Outbox> => {
	const store = options.beside?.store ?? (await createScratchStore([webhookTables, things], options.folder));
	const clock = options.clock ?? options.beside?.clock ?? createMovedClock();
	const queue = createQueue(store);
	const secrets = new SecretBook(store, clock);
	const archive = createArchive(store);
	const overall = options.overall ?? 1024;
	const concurrency = new ReceiverConcurrency({ overall, perReceiver: options.perReceiver ?? 64 });
	const log = createLog("silent");
	const dispatcher = new Dispatcher({
		receivers: () => [],
		queue,
		concurrency,
		secrets,
		clock,
		log,
		now: clock.now,
		userAgent: "test",
		send:
			options.send ??
			createSender({
				clock,
				resolve: options.resolve ?? (async () => ["127.0.0.1"]),
				allowPrivateNetworks: options.allowPrivateNetworks ?? true,
				httpsOnly: false,
				success: options.success ?? "200",
			}),
		recorder: new AttemptRecorder({ store, queue, clock, log, outcomes: new Outcomes(log) }),
	});
	const change = async (id: string, status: string): Promise<void> => {
		await store.run("UPDATE things SET status = ?, seq = seq + 1, callback = ?, changed_at = ? WHERE id = ?", [
			status,
			JSON.stringify({ id, status }),
			clock.now(),
			id,
		]);
	};
	const tick = async (): Promise<void> => {
		await dispatcher.tick();
		await dispatcher.claimed();
	};
	/** Attempts take the machine's time: the clock, moved amid one, would end it. Those at a receiver that hangs are not waited for. */
	const attemptsEnd = async (): Promise<void> => {
		const latest = performance.now() + 500;
		while (concurrency.free < overall && performance.now() < latest) await quiet(3);
	};
	return {
		store,
		clock,
		dispatcher,
		tick,
		secrets,
		concurrency,
		change,
		async put(id, hook, first = "NOT_START", ...then) {
			await store.run("INSERT INTO things VALUES (?, 'owner', ?, 1, ?, ?, ?)", [
				id,
				first,
				hook,
				JSON.stringify({ id, status: first }),
				clock.now(),
			]);
			for (const status of then) await change(id, status);
		},
		async pass(milliseconds) {
			for (let left = milliseconds; left > 0; left -= 5000) {
				await quiet(3);
				await attemptsEnd();
				clock.advance(Math.min(5000, left));
				await quiet(3);
				// A database that fails is asked again by the clock, which stands still here.
				await Promise.race([tick(), new Promise((resolve) => setTimeout(resolve, 50))]);
			}
			await quiet(30);
		},
		deliveries: (id) => archive.ofSubject("owner", id),
		redeliver: (delivery) => archive.redeliver(delivery, clock.now(), { whose: ownedBy("owner"), beside: [] }),
		async close() {
			const stopping = dispatcher.stop();
			clock.advance(10_000);
			await stopping;
			if (!options.beside) store.close();
		},
	};
};
