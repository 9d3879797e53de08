/** Asks other nodes to give back what they do not need, once at a time for an account, and gives them the time to. */
import type { Clock, Store } from "#core";
import type { Statements } from "./statements.ts";

/** Nodes look at their leases every 100 ms while they have any. */
const waitMs = 150;

export class Recalls {
	private readonly running = new Map<string, Promise<void>>();
	private readonly store: Store;
	private readonly clock: Clock;
	private readonly statements: Statements;
	private readonly holder: string;

	constructor(store: Store, clock: Clock, statements: Statements, holder: string) {
		this.store = store;
		this.clock = clock;
		this.statements = statements;
		this.holder = holder;
	}

	/** Resolves when they have had the time. Rejects when the database cannot be reached. */
	of(account: string): Promise<void> {
		const known = this.running.get(account);
		if (known) return known;
		const recall = this.store
			.write([this.statements.recall(account, this.holder)])
			.then(() => new Promise<void>((resolve) => void this.clock.after(waitMs, resolve)))
			.finally(() => this.running.delete(account));
		this.running.set(account, recall);
		return recall;
	}
}
