/** Issues tokens and recognises them. */
import { sql } from "drizzle-orm";
import {
	add,
	authenticators,
	clock,
	commands,
	definePlugin,
	flagOf,
	hostInfo,
	jobs,
	maybe,
	policies,
	provide,
	routes,
	store,
	t,
	tables,
} from "#core";
import { people, personFollowers } from "../people/service.ts";
import { ownOptions, tokenCommand } from "./command.ts";
import { createFirstToken } from "./first-token.ts";
import { tokenFollower } from "./follow-persons.ts";
import { Issuer } from "./issuer.ts";
import { Peppers } from "./peppers.ts";
import { Registry } from "./registry.ts";
import { ownFields, tokenRoutes } from "./routes.ts";
import { directory, having, ownedBy, tokenFacts, tokenOwnership } from "./service.ts";
import { settingsOf } from "./settings.ts";
import { ofOwner } from "./stored-token.ts";
import { tokenTables } from "./tables.ts";

export default definePlugin({
	name: "tokens",
	summary: "Issues tokens (API keys) and recognises them.",
	config: t.Object(
		{
			pepper: t.Optional(
				t.String({
					minLength: 32,
					secret: true,
					description:
						"Secret that keys are digested with; the same on every node. Default: made at the first start and kept in the database.",
				}),
			),
			previousPeppers: t.Optional(
				t.Array(t.String({ minLength: 8, secret: true }), {
					description:
						'Secrets of before: keys are recognised by them too, and stored by the new one when they are used. "database" is the one that lies in the database.',
				}),
			),
			withoutDatabaseSeconds: t.Integer({
				minimum: 0,
				maximum: 3600,
				default: 90,
				description:
					"How long tokens that this node knows are good while a shared database does not answer. A node that is cut off alone does not hear meanwhile what another revokes.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { store, clock, hostInfo, policies, people: maybe(people), facts: tokenFacts },
	gives: [authenticators, routes, tables, commands, jobs, personFollowers, tokenOwnership],
	setup({ name, config, needs, log }) {
		const settings = () => settingsOf(needs.policies());
		const peppers = new Peppers(needs.store, log, { pepper: config.pepper, previous: config.previousPeppers ?? [] });
		const aloneMs = config.withoutDatabaseSeconds * 1000;
		const owner = async (id: string) => await needs.people?.owner(id);
		const options = { store: needs.store, clock: needs.clock, log, settings, peppers, owner, aloneMs };
		const registry = new Registry(options);
		const issuer = new Issuer(options, registry);
		const poll = async (): Promise<void> => {
			if (needs.store.shared) await registry.keepUp();
		};
		return {
			offers: [
				add(tables, tokenTables(name)),
				add(authenticators, { name, identify: (key) => registry.identify(key) }),
				provide(tokenOwnership, {
					ownedBy,
					directory,
					having,
					find: (idOrName) => registry.named(idOrName),
					has: async (id, of) => (await needs.store.all(sql`SELECT 1 FROM tokens WHERE ${ofOwner(id, of)}`)).length > 0,
				}),
				add(personFollowers, tokenFollower(registry, settings)),
				...tokenRoutes({ ...needs, issuer, known: settings, log }).map((route) => add(routes, route)),
				add(
					commands,
					tokenCommand(settings, () => needs.clock.now()),
				),
				add(jobs, { name: "tokens: what other nodes changed", schedule: "* * * * * *", run: poll }),
			],
			check: () =>
				needs.policies().flatMap(({ name: policy, setting }) => {
					if (setting === undefined) return [];
					const { key } = setting;
					const offered = `the policy "${policy}" of a plugin offers the token setting "${key}"`;
					if (ownFields.includes(key)) return [`${offered}, which every token has already; rename it`];
					return ownOptions.has(key)
						? [`${offered}, and "portico token" has an option --${flagOf(key)} of its own; rename it`]
						: [];
				}),
			async start() {
				await registry.open();
				await peppers.check(needs.hostInfo.serving);
				if (needs.hostInfo.serving)
					needs.hostInfo.greetWith(createFirstToken(needs.store, registry, issuer, needs.hostInfo.node));
			},
		};
	},
});
