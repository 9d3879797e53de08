/** How the plugin is put together, around parts that a test may replace. */
import { join } from "node:path";
import {
	add,
	clock,
	databaseTime,
	definePlugin,
	hostInfo,
	jobs,
	type Plugin,
	type Policy,
	policies,
	provide,
	store,
	t,
	tables,
} from "#core";
import { alerts } from "../alerts/service.ts";
import { metricSources } from "../metrics/service.ts";
import { personFollowers } from "../people/service.ts";
import { prices } from "../prices/service.ts";
import { Accounts } from "./accounts.ts";
import type { Budgets } from "./budgets.ts";
import { budgetsSetting } from "./budgets-setting.ts";
import { recordCorrections } from "./corrections.ts";
import { quotaMetrics } from "./figures.ts";
import { quotaFollower } from "./follow-persons.ts";
import { fileJournals, type Journals } from "./journal.ts";
import { LeaseCharge } from "./lease.ts";
import { QuotaPolicy } from "./policy.ts";
import { ledgerWriters, type Quota, quota } from "./service.ts";
import { Statements } from "./statements.ts";
import { quotaTables } from "./tables.ts";
import { reserveTask } from "./tasks.ts";
import { taskAlerts } from "./threshold-alerts.ts";

export interface QuotaParts {
	readonly statements?: Statements;
	readonly journals?: (folder: string) => Journals;
	readonly mostWaiting?: number;
}

export const quotaPlugin = ({ statements, journals = fileJournals, mostWaiting }: QuotaParts = {}): Plugin =>
	definePlugin({
		name: "quota",
		summary: "Holds a token to an amount of money, exactly, over any number of nodes.",
		config: t.Object(
			{
				outputWithoutLimit: t.Integer({
					minimum: 1,
					default: 8192,
					description: "Output tokens a call may have under a quota where neither it nor its model has a limit.",
				}),
				abandoned: t.Union([t.Literal("estimate"), t.Literal("finish")], {
					default: "estimate",
					description:
						"estimate: a call whose client leaves is stopped and charged what it can have cost by then. finish: its answer is read to the end, for 30 seconds at most, and charged exactly.",
				}),
				leaseSeconds: t.Integer({
					minimum: 10,
					maximum: 3600,
					default: 90,
					description:
						"How long calls of a token go on from what this node has leased while the database is away, and after how long the others charge what a node had leased that is gone.",
				}),
				outputToWaitFor: t.Integer({
					minimum: 1,
					default: 4096,
					description:
						"A call without a limit of its own is let through with fewer output tokens than its model gives, but not with fewer than this while other calls hold the quota.",
				}),
			},
			{ additionalProperties: false },
		),
		needs: { store, clock, hostInfo, prices, alerts, writers: ledgerWriters },
		gives: [policies, tables, jobs, quota, metricSources, personFollowers],
		setup({ name, config, needs, log }) {
			const { store, clock, hostInfo } = needs;
			const leaseMs = config.leaseSeconds * 1000;
			const accounts = hostInfo.keep(
				`${name}.accounts`,
				() =>
					new Accounts({
						store,
						clock,
						log,
						journals: journals(join(hostInfo.dataFolder, name)),
						statements: statements ?? new Statements(databaseTime, leaseMs),
						...(mostWaiting !== undefined && { mostWaiting }),
					}),
			);
			const now = (): number => clock.now();
			const outputs = { unknownOutput: config.outputWithoutLimit, wantedOutput: config.outputToWaitFor };
			const readOnMs = config.abandoned === "finish" ? 30_000 : 0;
			const service: Quota = {
				record: (charge, row) => accounts.record(charge instanceof LeaseCharge ? charge.lease : undefined, row),
				flush: () => accounts.flush(),
				reserve: (token, amount, taskId) => reserveTask(accounts, token, amount, taskId, now()),
				settle: (taskId, amount) => [
					accounts.statements.settleTask(taskId, amount),
					...taskAlerts(needs.alerts(), taskId),
				],
			};
			const policy = new QuotaPolicy({ accounts, prices: needs.prices, log, outputs, readOnMs, now });
			const budgets: Policy<Budgets> = { name: "budgets", setting: budgetsSetting({ accounts, now }) };
			return {
				offers: [
					add(tables, quotaTables(name)),
					add(policies, policy),
					add(policies, budgets),
					provide(quota, service),
					add(metricSources, () => quotaMetrics(accounts)),
					add(personFollowers, quotaFollower({ accounts, now })),
					add(jobs, {
						name: `${name}: leases of silent nodes`,
						schedule: "*/5 * * * * *",
						async run() {
							await store.write(accounts.statements.reap());
							await recordCorrections(accounts);
						},
					}),
					add(jobs, {
						name: `${name}: old leases and windows`,
						schedule: "23 * * * *",
						removes: "old",
						async run() {
							const { statements } = accounts;
							await store.write([statements.prune(), statements.pruneWindows(now())]);
						},
					}),
				],
				async start() {
					// Open leases would last shorter in the database than in memory: others would charge what is still spent here.
					if (!statements && accounts.statements.leaseMs !== leaseMs)
						log.warn("a changed setting counts from the next restart on", { setting: `${name}.leaseSeconds` });
					accounts.writer = needs.writers()[0];
					accounts.alerts.listeners = needs.alerts();
					if (hostInfo.serving) await accounts.open();
				},
				stop: () => accounts.flush(),
			};
		},
	});
