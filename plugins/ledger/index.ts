/** Writes one row for every call and sums them up. */

import { lt } from "drizzle-orm";
import { add, clock, commands, definePlugin, jobs, recorders, routes, store, t, tables } from "#core";
import { usageCommand } from "./command.ts";
import { rowOf } from "./row.ts";
import { ledgerRows, ledgerTables } from "./tables.ts";
import { usageRoute } from "./usage.ts";
import { Writer } from "./writer.ts";

export default definePlugin({
	name: "ledger",
	summary: "Keeps one row for every call: who, which model, what it used, how it ended.",
	config: t.Object(
		{ retentionDays: t.Optional(t.Integer({ minimum: 1, default: 400, description: "Days a row is kept." })) },
		{ additionalProperties: false },
	),
	needs: { store, clock },
	gives: [recorders, routes, tables, commands, jobs],
	setup({ name, config, needs, log }) {
		const writer = new Writer(needs.store, needs.clock, log);
		const prune = async (): Promise<void> => {
			const before = needs.clock.now() - (config.retentionDays ?? 400) * 86_400_000;
			await needs.store.write([needs.store.db.delete(ledgerRows).where(lt(ledgerRows.at, before))]);
		};
		return {
			offers: [
				add(tables, ledgerTables(name)),
				add(recorders, { name, record: (call) => writer.add(rowOf(call, undefined)) }),
				add(
					routes,
					usageRoute(needs.store, () => writer.flush()),
				),
				add(commands, usageCommand),
				add(jobs, { name: "ledger: prune", schedule: "17 3 * * *", run: prune }),
			],
			stop: () => writer.flush(),
		};
	},
});
