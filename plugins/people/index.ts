/** People: who may sign in, how they do, and what they changed. */
import {
	add,
	auditors,
	clock,
	commands,
	definePlugin,
	doorkeepers,
	hostInfo,
	jobs,
	networksOf,
	policies,
	provide,
	routes,
	store,
	t,
	tables,
} from "#core";
import { auditEntry } from "./audit.ts";
import { auditRoutes } from "./audit-routes.ts";
import { ChangePace } from "./change-pace.ts";
import { auditCommand, personCommand } from "./command.ts";
import { Directory } from "./directory.ts";
import { sessionDoorkeeper, sessionFinder } from "./doorkeeper.ts";
import { Failures } from "./failures.ts";
import { firstSignIn, linkBase, withoutPage } from "./first-sign-in.ts";
import { Invitations } from "./invitations.ts";
import { peopleRoutes } from "./people-routes.ts";
import { operatorWhoMay } from "./person.ts";
import { type People, people, personFollowers } from "./service.ts";
import { sessionRoutes } from "./session-routes.ts";
import { Sessions } from "./sessions.ts";
import { SignIn } from "./sign-in.ts";
import { Turns } from "./sign-in-limit.ts";
import { peopleTables } from "./tables.ts";

export default definePlugin({
	name: "people",
	summary: "Lets people sign in, by invitation, and writes down who changed what.",
	config: t.Object(
		{
			url: t.Optional(
				t.String({
					pattern: "^https?://[^/]+$",
					description:
						"The address at which people reach this server, such as https://portico.example; for links, and behind a proxy that changes the Host header.",
				}),
			),
			allow: t.Array(t.String({ format: "network" }), {
				default: ["0.0.0.0/0", "::/0"],
				description: "Addresses and networks from which people may sign in and work.",
			}),
			insecure: t.Boolean({
				default: false,
				description: "true lets people sign in over plain http from other machines; for a network you trust.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { store, clock, hostInfo, followers: personFollowers, policies, doorkeepers, served: routes },
	gives: [people, doorkeepers, auditors, routes, tables, commands, jobs],
	setup({ name, config, needs }) {
		const { store, clock, hostInfo } = needs;
		const sessions = new Sessions(store, clock);
		const directory = new Directory(store, sessions);
		const invitations = new Invitations(store, clock);
		const failures = new Failures(store, clock);
		const turns = new Turns(clock);
		const signIn = new SignIn({ store, directory, sessions, failures, turns });
		const rules = { allow: networksOf(config.allow), url: config.url, insecure: config.insecure };
		const find = sessionFinder(sessions, rules);
		const note = () => withoutPage(needs.served());
		const service: People = {
			owner: (id) => directory.find(id),
			named: async (name) => operatorWhoMay((await directory.candidate(name))?.person),
			audit: (call, change) => auditEntry(call, clock.now(), change),
		};
		const all = [
			...sessionRoutes({
				store,
				directory,
				sessions,
				invitations,
				signIn,
				find,
				others: () => needs.doorkeepers().filter((doorkeeper) => doorkeeper.name !== name),
				rules,
				now: () => clock.now(),
				followers: needs.followers,
			}),
			...peopleRoutes({
				store,
				directory,
				sessions,
				invitations,
				people: service,
				followers: needs.followers,
				base: linkBase(hostInfo, config.url),
				note,
			}),
			...auditRoutes(store),
		];
		return {
			offers: [
				add(tables, peopleTables(name)),
				add(doorkeepers, sessionDoorkeeper(name, find, new ChangePace(clock))),
				add(auditors, { did: async (call, deed) => void (await store.write([service.audit(call, deed)])) }),
				provide(people, service),
				...all.map((route) => add(routes, route)),
				add(
					commands,
					personCommand(() => needs.policies().find(({ setting }) => setting?.key === "budgets")?.setting),
				),
				add(commands, auditCommand),
				add(jobs, {
					name: `${name}: what is over`,
					schedule: "41 * * * *",
					removes: "old",
					run: async () => void (await store.write([sessions.prune(), invitations.prune(), failures.prune()])),
				}),
			],
			start() {
				if (hostInfo.serving)
					hostInfo.greetWithSignIn(firstSignIn({ store, directory, invitations, url: config.url, note }));
			},
		};
	},
});
