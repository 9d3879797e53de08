/** Portico's own quota with one fault planted, named by `PORTICO_CHAOS_FAULT`: the harness has to find each. */
import { sql } from "drizzle-orm";
import { databaseTime } from "#core";
import { fileJournals } from "../../plugins/quota/journal.ts";
import { type QuotaParts, quotaPlugin } from "../../plugins/quota/plugin.ts";
import { type GrantRequest, type LeaseFigures, Statements } from "../../plugins/quota/statements.ts";

/** Grants without asking whether there is enough. */
class WithoutCondition extends Statements {
	override grant({ id, account, holder, granted, least, want }: GrantRequest) {
		const more = Math.max(least, want);
		if (granted === undefined)
			return [
				sql`INSERT INTO quota_leases (id, token, kind, holder, granted, expires_at, changed_at)
					VALUES (${id}, ${account}, 'slice', ${holder}, ${more}, ${databaseTime} + ${this.leaseMs}, ${databaseTime}) ON CONFLICT (id) DO NOTHING`,
			];
		return [sql`UPDATE quota_leases SET granted = granted + ${more} WHERE id = ${id} AND state = 'open'`];
	}
}

/** Adds to what was charged instead of setting it, so a statement that is repeated counts twice. */
class WithoutGuard extends Statements {
	private readonly seen = new Map<string, number>();
	override charge({ id, settled }: LeaseFigures) {
		const more = settled - (this.seen.get(id) ?? 0);
		this.seen.set(id, settled);
		return sql`UPDATE quota_leases SET settled = settled + ${more}, expires_at = ${databaseTime} + ${this.leaseMs} WHERE id = ${id} AND state = 'open'`;
	}
}

/** Takes no notice of what persons may spend. */
class WithoutCeilings extends Statements {
	override setQuota(account: string, quota: number | null) {
		return super.setQuota(account, account.startsWith("person:") ? null : quota);
	}
	override account(account: string, quota: number | null) {
		return super.account(account, account.startsWith("person:") ? null : quota);
	}
}

const faults: Readonly<Record<string, QuotaParts>> = {
	"refund-at-crash": {
		journals(folder) {
			const { begin, left } = fileJournals(folder);
			const forgetful = () =>
				left().map((journal) => ({ ...journal, records: () => journal.records().filter(([kind]) => kind !== "hold") }));
			return { begin, left: forgetful };
		},
	},
	"guard-dropped": { statements: new WithoutGuard(databaseTime, 10_000) },
	"condition-dropped": { statements: new WithoutCondition(databaseTime, 10_000) },
	"ceiling-dropped": { statements: new WithoutCeilings(databaseTime, 10_000) },
};

export default quotaPlugin(faults[process.env["PORTICO_CHAOS_FAULT"] ?? ""] ?? {});
