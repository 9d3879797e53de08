/** Long jobs: taken on, submitted to their upstream once, looked after until they end, and called back at every change of state. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
	add,
	clock,
	commands,
	createDatabaseTime,
	definePlugin,
	describe,
	hostInfo,
	type Identified,
	jobs,
	maybe,
	provide,
	routes,
	store,
	tables,
	taskAuthority,
	unwellUpstreams,
} from "#core";
import { alerts, keyRefused, raiseOn } from "../alerts/service.ts";
import { metricSources } from "../metrics/service.ts";
import { prices } from "../prices/service.ts";
import { ledgerWriters, quota } from "../quota/service.ts";
import { tokenOwnership } from "../tokens/service.ts";
import { webhooks } from "../webhooks/service.ts";
import { adminTaskRoutes } from "./admin-routes.ts";
import { Asking } from "./asking.ts";
import { createTaskBudget } from "./budget.ts";
import { createCatalogue, exampleIn } from "./catalogue.ts";
import { tasksCommand } from "./command.ts";
import { openTasks, TaskCounts } from "./counts.ts";
import { EndWaiters } from "./end-waiters.ts";
import { Endings } from "./endings.ts";
import { removeExpired } from "./expired.ts";
import { createFiles } from "./files.ts";
import { createInputRoom, inputSizeTables } from "./input-room.ts";
import { createTaskLeases } from "./leases.ts";
import { missedFile } from "./missed-file.ts";
import { Previews } from "./previews.ts";
import { takeUpPutOff } from "./put-off.ts";
import { createRetryWrite } from "./retry-write.ts";
import { createRoutes } from "./routes.ts";
import { taskKinds, tasks, taskUpstreams } from "./service.ts";
import { settings } from "./settings.ts";
import { Settlement } from "./settlement.ts";
import { createLinks } from "./signed-links.ts";
import { standingOf } from "./standing.ts";
import { Work } from "./step.ts";
import { createSubmission } from "./submission.ts";
import { taskCallerTables, taskNameTables, taskTables } from "./tables.ts";
import { createTaskStore } from "./task-store.ts";
import { createTasksService, hasEnded } from "./tasks-service.ts";
import { createWithinTime } from "./time-limit.ts";
import { Troubles } from "./troubles.ts";
import { upstreamFailing, upstreamRecovered } from "./upstream-alerts.ts";
import { UpstreamConcurrency } from "./upstream-concurrency.ts";
import { UpstreamWatches } from "./upstream-watch.ts";
import { Worker } from "./worker.ts";

const day = 24 * 60 * 60 * 1000;

export default definePlugin({
	name: "tasks",
	summary: "Runs image, video and music jobs: states, result files, callbacks, and the uniform routes.",
	config: settings,
	needs: {
		store,
		clock,
		hostInfo,
		taskAuthority,
		webhooks: maybe(webhooks),
		quota: maybe(quota),
		prices: maybe(prices),
		tokens: maybe(tokenOwnership),
		ledgerWriters,
		alerts,
		kinds: taskKinds,
		upstreams: taskUpstreams,
	},
	gives: [tasks, routes, jobs, tables, commands, metricSources, unwellUpstreams],
	setup({ name, config, needs, log }) {
		let linkKey = randomBytes(32).toString("base64url");
		let worker: Worker | undefined;
		const catalogue = createCatalogue(log);
		const time = createDatabaseTime(needs.store, needs.clock);
		const { now } = time;
		const publicUrl = config.publicUrl?.replace(/\/+$/, "");
		const baseUrl = ({ origin }: Identified): string => publicUrl ?? origin;
		const taskStore = createTaskStore(needs.store);
		const leases = createTaskLeases(needs.store);
		const links = createLinks(() => linkKey);
		const withinTime = createWithinTime(needs.clock);
		const folder = config.filesFolder ?? join(needs.hostInfo.sharedFolder, "tasks");
		const files = createFiles({ folder, links, withinTime, missed: missedFile({ taskStore, folder, log }) });
		const accounts = createTaskBudget({
			quota: needs.quota,
			prices: needs.prices,
			writer: () => needs.ledgerWriters()[0],
			upstream: (name) => catalogue.upstream(name),
		});
		const waiting = new EndWaiters(needs.clock, taskStore.stillOpen);
		const counts = needs.hostInfo.keep(`${name}.counts`, () => new TaskCounts());
		const previews = needs.hostInfo.keep(`${name}.previews`, () => new Previews());
		const retryWrite = createRetryWrite(
			(wait) => new Promise((resolve) => needs.clock.after(wait, resolve)),
			(error) => log.warn("a task could not be written and will be tried again", { error: describe(error) }),
		);
		const troubles = new Troubles(log);
		const endings = new Endings({
			store: needs.store,
			taskStore,
			retryWrite,
			files,
			accounts,
			catalogue,
			now,
			changed(task) {
				needs.webhooks?.wake();
				if (hasEnded(task)) waiting.tell(task.id);
				if (task.status === "FAILURE") worker?.wake();
				counts.note(task);
			},
		});
		const asking = new Asking({ withinTime, troubles, show: ({ id }, preview) => previews.show(id, preview), now });
		const settlement = new Settlement({ leases, asking, endings, troubles, now });
		const work = new Work({
			taskStore,
			leases,
			asking,
			endings,
			settlement,
			troubles,
			retryWrite,
			catalogue,
			now,
			random: Math.random,
		});
		const submit = createSubmission({
			store: needs.store,
			taskStore,
			catalogue,
			authority: needs.taskAuthority,
			accounts,
			inputRoom: createInputRoom(
				needs.store,
				{ perToken: config.inputMegabytesPerToken * 1024 * 1024, total: config.inputMegabytes * 1024 * 1024 },
				needs.tokens,
			),
			webhooks: needs.webhooks,
			baseUrl,
			keepMs: config.keepDays * day,
			now,
			made() {
				needs.webhooks?.wake();
				worker?.wake();
			},
		});
		const bodyLimitBytes = config.bodyLimitMegabytes * 1024 * 1024;
		const watches = new UpstreamWatches({
			clock: needs.clock,
			log,
			keyRefused: (upstream, status) => raiseOn(needs.alerts(), keyRefused(upstream, { status })),
			failing: (upstream, reason) => raiseOn(needs.alerts(), upstreamFailing(upstream, reason)),
			recovered: (upstream) => raiseOn(needs.alerts(), upstreamRecovered(upstream)),
		});
		const service = createTasksService({
			log,
			watches,
			taskStore,
			endings,
			files,
			waiting,
			previews,
			catalogue,
			bodyLimitBytes,
			proxy: needs.hostInfo.outgoingProxy,
			authority: needs.taskAuthority,
			baseUrl,
			monotonic: () => needs.clock.monotonic(),
			submit,
		});
		const standing = standingOf({
			catalogue,
			troubleOf: (upstream) => watches.of(upstream).health?.lastFailure?.message,
			now,
		});
		const prune = (): Promise<void> => removeExpired(taskStore, files, now);
		return {
			offers: [
				provide(tasks, service),
				add(tables, taskTables(needs.webhooks?.outbox)),
				add(tables, inputSizeTables),
				add(tables, taskNameTables),
				add(tables, taskCallerTables(needs.webhooks?.outbox)),
				add(jobs, {
					name: "tasks: look at what is due",
					schedule: "* * * * * *",
					run: (signal) => worker?.tick(signal),
				}),
				add(jobs, { name: "tasks: compare clocks", schedule: "*/30 * * * * *", run: () => time.compare() }),
				add(jobs, { name: "tasks: remove what is old", schedule: "23 * * * *", removes: "old", run: prune }),
				...adminTaskRoutes(needs.store, needs.tokens, standing, () => exampleIn(catalogue)).map((route) =>
					add(routes, route),
				),
				add(commands, tasksCommand),
				add(unwellUpstreams, () => watches.unwell()),
				add(metricSources, () => counts.metrics()),
				add(metricSources, async () => [await openTasks(needs.store)]),
				...createRoutes({ tasks: service, files, links, webhooks: needs.webhooks, catalogue, now }).map((route) =>
					add(routes, service.route(route)),
				),
			],
			check: () => catalogue.fill(needs.kinds(), needs.upstreams()),
			async start() {
				if (!needs.hostInfo.serving) return;
				linkKey = await taskStore.linkKey(linkKey);
				await time.compare();
				const concurrency = new UpstreamConcurrency(catalogue.upstreams, needs.clock);
				worker = new Worker({
					leases,
					work,
					settlement,
					takeUpPutOff: takeUpPutOff(needs.store, catalogue, now),
					concurrency,
					catalogue,
					clock: needs.clock,
					now,
					log,
					mustEnd: needs.hostInfo.mustEnd,
				});
				worker.wake();
			},
			async stop() {
				await worker?.stop();
			},
		};
	},
});
