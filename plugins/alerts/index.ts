/** Tells the operator, at one address, what should be known at once. */
import { sql } from "drizzle-orm";
import { add, clock, commands, definePlugin, jobs, maybe, recorders, routes, store, t, tables } from "#core";
import { tokenOwnership } from "../tokens/service.ts";
import { receivers, webhooks } from "../webhooks/service.ts";
import { alertsOf } from "./calls.ts";
import { alertsCommand } from "./command.ts";
import { alertRoutes } from "./routes.ts";
import { type Alerts, alertOwner, alerts } from "./service.ts";
import { alertTables, insertAlerts, prune } from "./tables.ts";
import { AlertWriter } from "./writer.ts";

const dayMs = 86_400_000;

/** How often it is told that callbacks of one token to one address are given up. */
const givenUpToldMs = 3_600_000;

export default definePlugin({
	name: "alerts",
	summary: "Tells the operator, by signed messages to one address, what should be known at once.",
	config: t.Object(
		{
			url: t.String({ minLength: 1, description: "Where alerts are posted." }),
			secret: t.String({
				pattern: "^whsec_[A-Za-z0-9+/]{32,86}={0,2}$",
				secret: true,
				description:
					"Signs them, as Standard Webhooks has it: whsec_ and 24 to 64 random bytes in base64 (openssl rand -base64 32).",
			}),
			privateNetwork: t.Boolean({
				default: false,
				description: "The address may be on this machine or a private network; tokens' callbacks still may not.",
			}),
			at: t.Array(t.Number({ exclusiveMinimum: 0, maximum: 1 }), {
				default: [0.8, 0.95, 1],
				description: "The shares of a quota or budget whose crossing is told.",
			}),
			expiringDays: t.Number({
				default: 7,
				minimum: 0,
				description: "How long before its end a token is told of.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { store, clock, webhooks, tokens: maybe(tokenOwnership) },
	gives: [alerts, receivers, recorders, routes, tables, commands, jobs],
	setup({ name, config, needs, log }) {
		const checked = needs.webhooks.check(config.url, config.privateNetwork);
		const url = "url" in checked ? checked.url : "";
		const names = needs.tokens?.directory() ?? sql`SELECT NULL AS id, NULL AS name`;
		const enqueue: Alerts["enqueue"] = (rows, telling) =>
			insertAlerts({
				rows,
				telling,
				url,
				now: needs.clock.now(),
				nameOf: (id) => sql`(SELECT n.name FROM (${names}) AS n WHERE n.id = ${id})`,
			});
		const writer = new AlertWriter({
			store: needs.store,
			clock: needs.clock,
			log,
			enqueue,
			written: () => needs.webhooks.wake(),
		});
		const raise: Alerts["raise"] = (alert) => writer.add(alert);
		const listener = { shares: config.at, expiringMs: config.expiringDays * dayMs, enqueue, raise };
		return {
			offers: [
				add(tables, alertTables(name, needs.webhooks.outbox)),
				add(alerts, listener),
				add(receivers, {
					owner: alertOwner,
					secret: config.secret,
					privateNetwork: config.privateNetwork,
					givenUp: (rows) => [enqueue(rows, { quietMs: givenUpToldMs })],
				}),
				add(recorders, { name, record: (call) => alertsOf(call).forEach(raise) }),
				...alertRoutes(needs.store, raise).map((route) => add(routes, route)),
				add(commands, alertsCommand),
				add(jobs, {
					name: `${name}: forget what is old`,
					schedule: "41 4 * * *",
					removes: "old",
					run: async () => void (await needs.store.write([prune(needs.clock.now())])),
				}),
			],
			check: () => ("url" in checked ? [] : [`url: ${checked.message}`]),
			stop: () => writer.flush(),
		};
	},
});
