/** Decides where a call goes. */
import {
	add,
	clock,
	definePlugin,
	endpoints,
	hostInfo,
	maybe,
	models,
	policies,
	protocols,
	provide,
	router,
	routes,
	upstreams,
	warnings,
} from "#core";
import { alerts } from "../alerts/service.ts";
import { prices } from "../prices/service.ts";
import { taskUpstreams } from "../tasks/service.ts";
import { tokenOwnership } from "../tokens/service.ts";
import { createChoosing } from "./chosen.ts";
import { explainRoutes } from "./explain.ts";
import { createHttpUpstream } from "./http-upstream.ts";
import { KeptCircuits } from "./kept-circuits.ts";
import { keyWarnings } from "./key-warnings.ts";
import { createLookup, type ModelLookup } from "./known-models.ts";
import { modelRoute } from "./model-route.ts";
import { namedNowhere } from "./named-nowhere.ts";
import { createRouting } from "./routing.ts";
import { choosers } from "./service.ts";
import { routerSettings } from "./settings.ts";
import { tlsComplaints, tlsWarnings } from "./tls.ts";

export default definePlugin({
	name: "router",
	summary: "Knows the upstreams and which models lead to them.",
	config: routerSettings,
	needs: {
		clock,
		hostInfo,
		models,
		protocols,
		endpoints,
		upstreams,
		taskUpstreams,
		choosers,
		policies,
		alerts,
		prices: maybe(prices),
		tokens: maybe(tokenOwnership),
	},
	gives: [router, routes, warnings],
	setup({ config, needs, log }) {
		const protocolNamed = byName(() => needs.protocols());
		const configured = config.upstreams.map((setting) =>
			createHttpUpstream({
				setting,
				clock: needs.clock,
				log,
				protocolNamed,
				proxy: needs.hostInfo.outgoingProxy,
			}),
		);
		const all = () => [...configured, ...needs.upstreams()];
		const upstreamNamed = byName(all);
		const circuits = needs.hostInfo.keep("router.circuits", () => new KeptCircuits()).of(config.upstreams, needs.clock);
		let lookup: ModelLookup | undefined;
		// What plugins add is complete once all of them are set up, which is before the first call.
		const capabilitiesOf: ModelLookup = (...asked) => {
			lookup ??= createLookup(needs.models());
			return lookup(...asked);
		};
		const routing = createRouting({
			models: config.models,
			clock: needs.clock,
			log,
			upstreamNamed,
			capabilitiesOf,
			upstreamNames: () => all().map(({ name }) => name),
			random: Math.random,
			circuits: circuits.byName,
			alerts: needs.alerts,
			choosing: createChoosing(needs.choosers),
			createdAt: Math.floor(needs.clock.now() / 1000),
		});

		const check = () => [
			...tlsComplaints(config.upstreams),
			...namedNowhere(config, configured, {
				upstreams: all(),
				protocols: needs.protocols(),
				endpoints: needs.endpoints(),
				taskUpstreams: needs.taskUpstreams(),
				priced: needs.prices?.upstreams ?? [],
				choosers: needs.choosers(),
			}),
		];

		return {
			offers: [
				provide(router, routing),
				add(
					routes,
					modelRoute({
						models: config.models,
						prices: needs.prices,
						capabilitiesOf: (name) => routing.model(name)?.capabilities,
					}),
				),
				...explainRoutes({ routing, policies: needs.policies, tokens: needs.tokens, log }).map((route) =>
					add(routes, route),
				),
				...keyWarnings(config.upstreams).map((warning) => add(warnings, warning)),
				...tlsWarnings(config.upstreams, needs.clock.now()).map((warning) => add(warnings, warning)),
				...(config.models.length === 0 ? [add(warnings, noModel)] : []),
				add(routes, {
					method: "GET",
					path: "/admin/upstreams",
					access: "admin",
					query: [],
					summary: "The upstreams, and whether calls are kept away from them.",
					handle: () => Response.json({ data: routing.states() }),
				}),
			],
			check,
			start: circuits.keep,
		};
	},
});

const noModel =
	'router: models: none is named, so every call is refused; add { name: "*", targets: [{ upstream: … }] }';

/** Finds by name, the first of a name. The list is read when it is first asked, once every plugin has offered what it has. */
const byName = <T extends { readonly name: string }>(list: () => readonly T[]): ((name: string) => T | undefined) => {
	let known: ReadonlyMap<string, T> | undefined;
	return (name) => {
		known ??= new Map(
			list()
				.map((one): [string, T] => [one.name, one])
				.reverse(),
		);
		return known.get(name);
	};
};
