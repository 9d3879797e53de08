/** The secrets that keys are digested with: the one of now, and those before it, by which keys are still recognised. */
import { sql } from "drizzle-orm";
import { deny, describe, Fault, type Log, type Store } from "#core";
import { digestOf, makeKey } from "./key.ts";
import { nextRevision, pepper as pepperTable } from "./tables.ts";

/** Stands among previous peppers for the one that was made at the first start and lies in the database. */
const inDatabase = "database";

/** Tells peppers apart in the database without telling them. */
const markOf = (pepper: string): string => digestOf(pepper, "which pepper this is").slice(0, 16);

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
	/** Stands beside what is stored by the pepper of now. */
	mark = "";
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
		this.mark = markOf(this.current);
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

	/**
	 * Looks whether keys are stored by these peppers. Throws `Fault` where none is and a server would know nobody; where some
	 * are not, as after a rotation those that nobody used meanwhile, a server tells it. A key without a mark may be one of
	 * theirs. Commands go on, for one of them mends it.
	 */
	async check(serving: boolean): Promise<void> {
		const rows = await this.store.all(
			sql`SELECT pepper_mark AS mark, count(*) AS keys FROM tokens WHERE digest IS NOT NULL GROUP BY pepper_mark`,
		);
		const known = new Set([this.mark, ...this.previous.map(markOf)]);
		const foreign = rows.filter(({ mark }) => mark !== null && !known.has(String(mark)));
		if (foreign.length === 0) return;
		const keys = foreign.reduce((sum, row) => sum + Number(row["keys"]), 0);
		const knowsSome = foreign.length < rows.length;
		if (knowsSome && !serving) return;
		const marks = foreign.map(({ mark }) => String(mark));
		const advice = await this.adviceFor(marks, knowsSome);
		if (knowsSome || !serving)
			return this.log.warn("keys are stored by a pepper that the config does not name, and are refused", {
				keys,
				advice,
			});
		const found = `no key in the database (${keys} in all) is stored by ${this.named()}`;
		throw new Fault(deny("conflict", `tokens: ${found}, so every call would be answered 401. ${advice}`));
	}

	private named(): string {
		const { pepper, previous } = this.settings;
		const now = pepper === undefined ? "the pepper that lies in the database" : "the pepper of the config";
		return previous.length > 0 ? `${now} or one of previousPeppers` : now;
	}

	private async adviceFor(marks: readonly string[], knowsSome: boolean): Promise<string> {
		const lost = "Where it is lost, portico token rotate gives a token another key.";
		const [row] = await this.store.db.select().from(pepperTable);
		if (row && marks.includes(markOf(row.value)))
			return 'It is the one that lies in the database: add previousPeppers: ["database"].';
		if (knowsSome)
			return "Name theirs in previousPeppers and they are good again, or delete their tokens, or give those other keys by portico token rotate.";
		return this.settings.pepper === undefined
			? `They were stored by one that the config named: set pepper to it again. ${lost}`
			: `Set pepper to what it was (its variable or file may have changed); to change it, name the one before in previousPeppers. ${lost}`;
	}

	/** Stores by the pepper of now what stands there by an earlier one, or by nobody knows which: a key was just shown, and nobody waits for this. */
	move(id: string, from: string, to: string): void {
		if (this.moved.has(id)) return;
		this.moved.add(id);
		const isOther = from !== to;
		const revised = isOther ? sql`, ${nextRevision}` : sql``;
		this.store
			.write([
				sql`UPDATE tokens SET digest = ${to}, pepper_mark = ${this.mark}${revised} WHERE id = ${id} AND digest = ${from}`,
			])
			.then(() => {
				if (isOther) this.log.info("a key is stored by the new pepper now", { token_id: id });
			})
			.catch((error: unknown) => {
				this.moved.delete(id);
				const fields = { token_id: id, error: describe(error) };
				if (isOther) this.log.warn("a key could not be stored by the new pepper; it is good by the one before", fields);
				else this.log.debug("by which pepper a key is stored could not be written down", fields);
			});
	}
}
