/** The secrets that keys are digested with: the one of now, and those before it, by which keys are still recognised. */
import { sql } from "drizzle-orm";
import { describe, type Log, type Store } from "#core";
import { digestOf, makeKey } from "./key.ts";
import { nextRevision, pepper as pepperTable } from "./tables.ts";

/** Stands among previous peppers for the one that was made at the first start and lies in the database. */
const inDatabase = "database";

interface PepperSettings {
	readonly pepper: string | undefined;
	readonly previous: readonly string[];
}

export class Peppers {
	private readonly store: Store;
	private readonly log: Log;
	private readonly settings: PepperSettings;
	private current = "";
	private previous: readonly string[] = [];
	/** Tokens that were moved by this process: each once, however nodes disagree about which pepper is the one of now. */
	private readonly moved = new Set<string>();

	constructor(store: Store, log: Log, settings: PepperSettings) {
		this.store = store;
		this.log = log;
		this.settings = settings;
	}

	/** Reads what lies in the database; the first start of all makes it. */
	async open(): Promise<void> {
		const { pepper, previous } = this.settings;
		const wanted = pepper === undefined || previous.includes(inDatabase);
		const kept = wanted ? await this.kept() : "";
		this.current = pepper ?? kept;
		this.previous = previous.map((one) => (one === inDatabase ? kept : one)).filter((one) => one !== this.current);
	}

	private async kept(): Promise<string> {
		const fresh = makeKey();
		await this.store.write([
			sql`INSERT INTO token_pepper (id, value) VALUES (1, ${fresh}) ON CONFLICT (id) DO NOTHING`,
		]);
		const [row] = await this.store.db.select().from(pepperTable);
		if (!row) throw new Error("the pepper of the tokens is missing from the database");
		return row.value;
	}

	/** What is stored instead of a key. */
	digest(key: string): string {
		return digestOf(this.current, key);
	}

	/** What may be stored instead of a key since an earlier pepper. */
	earlier(key: string): readonly string[] {
		return this.previous.map((pepper) => digestOf(pepper, key));
	}

	/** Stores by the pepper of now what stands there by an earlier one: a key was just shown, and nobody waits for this. */
	move(id: string, from: string, to: string): void {
		if (this.moved.has(id)) return;
		this.moved.add(id);
		this.store
			.write([sql`UPDATE tokens SET digest = ${to}, ${nextRevision} WHERE id = ${id} AND digest = ${from}`])
			.then(() => this.log.info("a key is stored by the new pepper now", { token_id: id }))
			.catch((error: unknown) => {
				this.moved.delete(id);
				this.log.warn("a key could not be stored by the new pepper; it is good by the one before", {
					token_id: id,
					error: describe(error),
				});
			});
	}
}
