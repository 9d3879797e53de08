/**
 * Slows guessing down: failed sign-ins are counted by person and by address, in the database, so that all nodes count
 * together. After five, each further try waits 1, 2, 4 … 60 seconds for its turn. Nobody is locked out: where somebody has
 * signed in before, only the address counts, so strangers elsewhere cannot keep them out.
 */
import { type SQL, sql } from "drizzle-orm";
import { asNumber, type Clock, type Denial, deny, isFault, type Statement, type Store } from "#core";

const free = 5;
const longestMs = 60_000;
const forgottenMs = 3_600_000;

/** An IPv6 customer has a whole /64. */
export const networkOf = (address: string | undefined): string => {
	if (address === undefined) return "unknown";
	if (!address.includes(":")) return address;
	const [head = "", tail] = address.split("::");
	const before = head.split(":").filter((part) => part !== "");
	const after = (tail ?? "").split(":").filter((part) => part !== "");
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
	return `${[...before, ...Array.from({ length: zeros }, () => "0"), ...after].slice(0, 4).join(":")}::/64`;
};

/** How long after the last failure the next try may come, in SQL. */
const pause = sql`iif(failures < ${free}, 0, min(${longestMs}, 1000 << min(failures - ${free}, 6)))`;

export class Failures {
	private readonly store: Store;
	private readonly clock: Clock;

	constructor(store: Store, clock: Clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Counts a try as failed before it is made, so that many at once do not all pass as the first; a denial when it comes
	 * too early. Ask for one subject after the other: what is too early for one is not counted for the next. What was
	 * counted later than now was so by a clock that has been set back, and nobody waits until it is as late again.
	 */
	async begin(subject: string): Promise<Denial | undefined> {
		const now = this.clock.now();
		const [counted] = await this.store.write([
			sql`INSERT INTO sign_in_failures (subject, failures, last_at) VALUES (${subject}, 1, ${now})
				ON CONFLICT (subject) DO UPDATE SET
					failures = iif(last_at < ${now - forgottenMs}, 1, failures + 1), last_at = ${now}
				WHERE failures < ${free} OR last_at + ${pause} <= ${now} OR last_at > ${now + longestMs} RETURNING failures`,
		]);
		return (counted?.rows.length ?? 0) > 0 ? undefined : await this.tooEarly(subject, now);
	}

	private async tooEarly(subject: string, now: number): Promise<Denial> {
		const [row] = await this.store.all(
			sql`SELECT last_at + ${pause} - ${now} AS remains FROM sign_in_failures WHERE subject = ${subject}`,
		);
		const retryAfterSeconds = Math.max(1, Math.ceil((asNumber(row?.["remains"]) ?? 1000) / 1000));
		return deny("rate_limited", `Too many failed sign-ins; try again in ${retryAfterSeconds} s.`, {
			retryAfterSeconds,
			code: "sign_in_delayed",
		});
	}

	/** The try was none of guessing: it is taken back. Whoever has an account must not wipe out what their address guessed. */
	succeeded(person: string, address: string): readonly Statement[] {
		return [sql`DELETE FROM sign_in_failures WHERE subject = ${person}`, this.takeBack(address)];
	}

	private takeBack(subject: string): SQL {
		return sql`UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = ${subject} AND failures > 0`;
	}

	/** No password was checked in the end. */
	async undo(subjects: readonly string[]): Promise<void> {
		await this.store.write(subjects.map((subject) => this.takeBack(subject)));
	}

	prune(): Statement {
		return sql`DELETE FROM sign_in_failures WHERE last_at < ${this.clock.now() - forgottenMs}`;
	}
}

/** A fault that says to come back, not that the password was wrong. */
export const isBusy = (error: unknown): boolean => isFault(error) && error.denial.kind === "rate_limited";
