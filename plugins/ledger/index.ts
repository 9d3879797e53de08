/** Writes one row for every call and sums them up. */

import {
	add,
	type CallRecord,
	clock,
	commands,
	definePlugin,
	hostInfo,
	jobs,
	maybe,
	policies,
	recorders,
	router,
	routes,
	store,
	t,
	tables,
	unlessOutage,
} from "#core";

import { prices as pricesService } from "../prices/service.ts";
import { ledgerWriters, quota } from "../quota/service.ts";
import { tokenFacts, tokenOwnership } from "../tokens/service.ts";
import { callRoutes } from "./calls.ts";
import { callsCommand } from "./calls-command.ts";
import { explainCommand } from "./explain-command.ts";
import { explainPolicy } from "./explain-setting.ts";
import { lastUsed } from "./last-used.ts";
import { savedAt } from "./pricing.ts";
import { correctionRow, rowOf, taskRow } from "./row.ts";
import { insertRows, ledgerTables, pruneRows } from "./tables.ts";
import { tagName, tagPolicy } from "./tags.ts";
import { usageRoute } from "./usage.ts";
import { usageCommand } from "./usage-command.ts";
import { Writer } from "./writer.ts";

export default definePlugin({
	name: "ledger",
	summary: "Keeps one row for every call: who, which model, what it used, how it ended.",
	config: t.Object(
		{
			tags: t.Array(t.String({ pattern: tagName }), {
				default: [],
				description: "Names that clients may use in x-portico-tags; others are left out.",
			}),
			endUser: t.Boolean({
				default: false,
				description:
					"Keeps the client's own user of a conversation (safety_identifier, user, metadata.user_id) as the tag end_user: personal data.",
			}),
			retentionDays: t.Integer({ minimum: 1, maximum: 100_000, default: 400, description: "Days a row is kept." }),
		},
		{ additionalProperties: false },
	),
	needs: {
		store,
		clock,
		hostInfo,
		quota: maybe(quota),
		tokens: maybe(tokenOwnership),
		prices: maybe(pricesService),
		router: maybe(router),
	},
	gives: [policies, recorders, routes, tables, commands, jobs, ledgerWriters, tokenFacts],
	setup({ name, config, needs, log }) {
		const { tokens, prices } = needs;
		/** Models that have sums of their own: those of the config, and what was answered. */
		const names = needs.hostInfo.keep(`${name}.models`, () => new Set<string>());
		const writer = new Writer(needs.store, needs.clock, log);
		const record = (call: CallRecord): void => {
			const row = rowOf(call, names);
			if (needs.quota) needs.quota.record(call.charge, row);
			else writer.add(row);
		};
		const flush = async (): Promise<void> => {
			await writer.flush();
			await needs.quota?.flush();
		};
		/** What is read is whole, unless nothing can be written just now. */
		const seen = (): Promise<void> => unlessOutage(flush());
		const prune = async (signal: AbortSignal): Promise<void> => {
			const before = needs.clock.now() - config.retentionDays * 86_400_000;
			await pruneRows(needs.store, before, signal);
		};
		return {
			offers: [
				add(tables, ledgerTables(name)),
				add(policies, tagPolicy(name, { allowed: new Set(config.tags), endUser: config.endUser })),
				add(policies, explainPolicy(name)),
				add(recorders, { name, record }),
				add(ledgerWriters, { statements: insertRows, correction: correctionRow, task: taskRow }),
				add(tokenFacts, lastUsed(needs.store)),
				add(
					routes,
					usageRoute({ store: needs.store, tokens, saved: prices && savedAt(prices, needs.router), flush: seen }),
				),
				...callRoutes({ store: needs.store, tokens, prices, flush: seen }).map((route) => add(routes, route)),
				add(commands, usageCommand),
				add(commands, callsCommand),
				add(commands, explainCommand),
				add(jobs, { name: "ledger: prune", schedule: "17 3 * * *", removes: "old", run: prune }),
			],
			start() {
				for (const { name: model } of needs.router?.models() ?? []) names.add(model);
			},
			stop: flush,
		};
	},
});
