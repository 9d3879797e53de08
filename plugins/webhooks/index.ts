/** Delivers callbacks: an outbox in the database, posted on a fixed schedule, signed, and kept to be seen and sent again. */
import {
	add,
	clock,
	commands,
	createDatabaseTime,
	definePlugin,
	hostInfo,
	type Identified,
	jobs,
	maybe,
	provide,
	routes,
	store,
	systemResolve,
	t,
	tables,
} from "#core";
import { metricSources } from "../metrics/service.ts";
import { people as peopleService } from "../people/service.ts";
import { tokenOwnership } from "../tokens/service.ts";
import { checkAddress } from "./address.ts";
import { createAdminRoutes } from "./admin-routes.ts";
import { createArchive } from "./archive.ts";
import { deliveriesCommand } from "./command.ts";
import { Dispatcher } from "./dispatcher.ts";
import { ManualLimit } from "./manual-limit.ts";
import { Outcomes, waiting } from "./outcomes.ts";
import { createQueue } from "./queue.ts";
import { ReceiverConcurrency } from "./receiver-concurrency.ts";
import { AttemptRecorder } from "./recorder.ts";
import { createRoutes } from "./routes.ts";
import { SecretBook } from "./secrets.ts";
import { createSender } from "./sender.ts";
import { receivers, webhooks } from "./service.ts";
import { outboxTriggers, webhookTables } from "./tables.ts";
import { createTestCallback } from "./test-callback.ts";

const day = 24 * 60 * 60 * 1000;
const userAgent = "Portico-Webhooks/1";

export default definePlugin({
	name: "webhooks",
	summary: "Delivers callbacks at least once: signed, retried after 10, 30 and 60 seconds, and kept.",
	config: t.Object(
		{
			success: t.Union([t.Literal("200"), t.Literal("2xx")], {
				default: "200",
				description: "Which statuses count as delivered: exactly 200, or any from 200 to 299.",
			}),
			allowPrivateNetworks: t.Boolean({
				default: false,
				description:
					"Lets callbacks go to private, loopback and other special addresses. For tests and closed networks.",
			}),
			httpsOnly: t.Boolean({ default: false, description: "Refuses callback addresses that are plain http." }),
			concurrency: t.Integer({ default: 1024, minimum: 4, description: "Attempts that may run at once on this node." }),
			concurrencyPerReceiver: t.Integer({
				default: 64,
				minimum: 1,
				description:
					"Attempts that may run at once to one receiver (scheme, host and port) from this node; whoever has none there (a person with all their tokens, or a token of nobody) has one beside them.",
			}),
			rotationOverlapHours: t.Number({
				default: 24,
				minimum: 0,
				description: "How long a replaced secret goes on signing beside the new one.",
			}),
			keepDeliveredDays: t.Number({
				default: 7,
				minimum: 0,
				maximum: 100_000,
				description: "How long delivered callbacks are kept.",
			}),
			keepDeadDays: t.Number({
				default: 30,
				minimum: 0,
				maximum: 100_000,
				description: "How long callbacks that could not be delivered are kept.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { store, clock, hostInfo, receivers, tokens: maybe(tokenOwnership), people: maybe(peopleService) },
	gives: [webhooks, routes, jobs, tables, commands, metricSources],
	setup({ config, needs, log }) {
		const time = createDatabaseTime(needs.store, needs.clock);
		const queue = createQueue(needs.store, needs.receivers);
		const archive = createArchive(needs.store);
		const outcomes = needs.hostInfo.keep("webhooks.outcomes", () => new Outcomes(log));
		const secrets = new SecretBook(needs.store, needs.clock);
		const { success, allowPrivateNetworks, httpsOnly } = config;
		const send = createSender({ clock: needs.clock, resolve: systemResolve, success, allowPrivateNetworks, httpsOnly });
		const dispatcher = new Dispatcher({
			queue,
			secrets,
			receivers: needs.receivers,
			send,
			log,
			userAgent,
			clock: needs.clock,
			now: time.now,
			concurrency: new ReceiverConcurrency({ overall: config.concurrency, perReceiver: config.concurrencyPerReceiver }),
			recorder: new AttemptRecorder({ store: needs.store, queue, clock: needs.clock, log, outcomes }),
		});
		const wake = (): void => dispatcher.wake();
		const rules = { allowPrivateNetworks, httpsOnly };
		const rotationOverlapMs = (config.rotationOverlapHours * day) / 24;
		const { tokens, people } = needs;
		const { now } = time;
		const limit = new ManualLimit(needs.clock, 30);
		const again = { one: new ManualLimit(needs.clock, 30), allDead: new ManualLimit(needs.clock, 6) };
		const test = createTestCallback({ secrets, send, limit, rules, userAgent, now });
		const audited = ({ id, address, token }: Identified, verb: string) => {
			const change = { verb, kind: "signing secret", object: token.id, name: token.name };
			return people ? [people.audit({ id, address, operator: token }, change)] : [];
		};
		const retention = { deliveredMs: config.keepDeliveredDays * day, deadMs: config.keepDeadDays * day };
		return {
			offers: [
				add(tables, webhookTables),
				provide(webhooks, {
					check: (url, privateNetwork = false) =>
						checkAddress(url, { httpsOnly, allowPrivateNetworks: allowPrivateNetworks || privateNetwork }),
					outbox: outboxTriggers,
					wake,
					deliveries: archive.ofSubject,
				}),
				add(jobs, {
					name: "webhooks: deliver what is due",
					schedule: "* * * * * *",
					run: (signal) => dispatcher.tick(signal),
				}),
				add(jobs, { name: "webhooks: compare clocks", schedule: "*/30 * * * * *", run: () => time.compare() }),
				add(jobs, {
					name: "webhooks: remove what is old",
					schedule: "17 * * * *",
					removes: "old",
					run: () => archive.prune(time.now(), retention),
				}),
				add(commands, deliveriesCommand),
				add(metricSources, () => outcomes.metrics()),
				add(metricSources, async () => [await waiting(needs.store)]),
				...createAdminRoutes({
					store: needs.store,
					archive,
					tokens,
					people,
					receivers: needs.receivers,
					test,
					again,
					now,
					wake,
				}).map((route) => add(routes, route)),
				...createRoutes({ archive, secrets, test, again, rotationOverlapMs, audited, now, wake }).map((route) =>
					add(routes, route),
				),
			],
			async start() {
				if (!needs.hostInfo.serving) return;
				if (allowPrivateNetworks)
					log.warn(
						"callbacks may go to private networks (allowPrivateNetworks): whoever holds a token can reach services in them",
					);
				await time.compare();
				for (const { owner, secret } of needs.receivers()) await secrets.set(owner, secret, rotationOverlapMs);
				dispatcher.wake();
			},
			stop: () => dispatcher.stop(),
		};
	},
});
