/** The model of quotas finds what is wrong: each fault here is planted, and some history shows it. */
import { describe, expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { checkHistories } from "../../test/support/quota-histories.ts";
import { shortLeaseMs, type WorldOptions } from "../../test/support/quota-world.ts";
import { type GrantRequest, type LeaseFigures, Statements } from "./statements.ts";

/** Grants without asking whether there is enough. */
class WithoutCondition extends Statements {
	private readonly time: SQL;
	constructor(now: SQL) {
		super(now, shortLeaseMs);
		this.time = now;
	}
	override grant({ id, account, holder, granted, least, want }: GrantRequest) {
		const more = Math.max(least, want);
		if (granted === undefined)
			return [
				sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
					VALUES (${id}, ${account}, 'slice', ${holder}, ${more}, ${this.time} + ${this.leaseMs}, ${this.time}) ON CONFLICT (id) DO NOTHING`,
			];
		return [
			sql`UPDATE quota_leases SET granted = granted + ${more}, expires_at = ${this.time} + ${this.leaseMs} WHERE id = ${id} AND state = 'open'`,
		];
	}
}

/** Adds what is new to a charge instead of setting it, so a repeated statement counts twice. */
class Adding extends Statements {
	private readonly seen = new Map<string, number>();
	override charge({ id, settled }: LeaseFigures) {
		const more = settled - (this.seen.get(id) ?? 0);
		this.seen.set(id, settled);
		return sql`UPDATE quota_leases SET settled = settled + ${more} WHERE id = ${id} AND state = 'open'`;
	}
}

/** Gives back what a silent node had set aside, though its calls go on. */
class Forgiving extends Statements {
	private readonly time: SQL;
	constructor(now: SQL) {
		super(now, shortLeaseMs);
		this.time = now;
	}
	override reap() {
		return [
			sql`UPDATE quota_leases SET granted = settled, state = 'closed' WHERE state = 'open' AND kind = 'slice' AND expires_at < ${this.time}`,
		];
	}
}

describe("a planted fault is found", () => {
	test.each<[string, RegExp, Omit<WorldOptions, "nodes">]>([
		[
			"calls that were running are given back after a crash",
			/charged only|of a quota of/,
			{ alterJournal: (line) => !line.startsWith("hold") },
		],
		[
			"a charge counts twice when its reply was lost",
			/the rows say|refused|more than crashes explain/,
			{ statements: (now) => new Adding(now, shortLeaseMs) },
		],
		[
			"what a silent node had set aside is given back",
			/charged only|of a quota of|refused|the rows say|still leased/,
			{ statements: (now) => new Forgiving(now) },
		],
		[
			"a grant does not ask whether there is enough",
			/refused: CHECK/,
			{ statements: (now) => new WithoutCondition(now) },
		],
	])(
		"%s",
		async (_name, words, options) => {
			const details = await checkHistories(2_000, options);
			expect(String(details.errorInstance)).toMatch(words);
		},
		120_000,
	);
});
