/** Builds a gateway from a blueprint, without starting anything: generation, relay, routes, handler. */

import type { ServerConfig } from "../config/schema-core.ts";
import { authenticators } from "../contract/authenticator.ts";
import type { Admitted } from "../contract/call.ts";
import { type Clock, clock as clockService } from "../contract/clock.ts";
import { endpoints } from "../contract/endpoint.ts";
import { guards } from "../contract/guard.ts";
import { type HostInfo, hostInfo as hostInfoService, type PluginRow } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import { doorkeepers } from "../contract/operator.ts";
import { costs, recorders } from "../contract/outcome.ts";
import { policies } from "../contract/policy.ts";
import { protocols } from "../contract/protocol.ts";
import type { Route } from "../contract/route.ts";
import { type Router, router as routerService } from "../contract/router.ts";
import { store as storeService } from "../contract/store.ts";
import { tracer } from "../contract/trace.ts";
import { clientGone } from "../errors/no-answer.ts";
import { type OwnedRoute, routeClashes } from "../http/app.ts";
import { statusAt } from "../http/denial-response.ts";
import { RequestHandler } from "../http/handle-request.ts";
import { openApiRoute } from "../http/openapi.ts";
import { ownHosts } from "../http/own-hosts.ts";
import type { Recording } from "../relay/call/record.ts";
import { Refusals } from "../relay/call/refusals.ts";
import { ConcurrencyLimit } from "../relay/concurrency-limit.ts";
import { createIdentify } from "../relay/identify/identify.ts";
import { createSecondLook } from "../relay/identify/second-look.ts";
import { createRulesOf } from "../relay/policies/token-rules.ts";
import { Relay } from "../relay/relay.ts";
import type { RelayOptions } from "../relay/relay-options.ts";
import { modelRoutes } from "../relay/routes/list-models.ts";
import { createTaskAuthority, taskAuthority } from "../relay/task-authority.ts";
import { openStreamBody } from "../runtime/stream-body.ts";
import { collectGarbage, memoryBytes } from "../runtime/system.ts";
import type { OpenStore } from "../store/open.ts";
import { ByteBudget } from "../wire/byte-budget.ts";
import { networksOf } from "../wire/networks.ts";
import { type Blueprint, complaintLines } from "./blueprint.ts";
import { buildGeneration, type Generation } from "./generation.ts";
import type { PluginComplaint } from "./order.ts";

/** Services the host lends to plugins. */
export const lentServices: ReadonlySet<string> = new Set([
	clockService.id,
	storeService.id,
	hostInfoService.id,
	taskAuthority.id,
]);

interface BuildOptions {
	readonly blueprint: Blueprint;
	readonly store: OpenStore;
	readonly clock: Clock;
	readonly log: Log;
	readonly adminToken: string;
	readonly version: string;
	hostInfo(rows: () => readonly PluginRow[]): HostInfo;
	own(rows: () => readonly PluginRow[]): readonly Route[];
	draining(): boolean;
	/** One for the process, whatever is reloaded. */
	readonly budget: ByteBudget;
}

export interface Built {
	readonly generation: Generation;
	/** Records of what was refused before anything was sent. */
	readonly refusals: Refusals;
	/** Absent when no plugin gives a router: then there are no model routes. */
	readonly relay: Relay | undefined;
	readonly handler: RequestHandler;
}

/** Everything that is wrong is said at once, whether the file, an order, a set-up or a route is at fault. */
export const buildGateway = async (
	options: BuildOptions,
): Promise<{ readonly built?: Built; readonly complaints: readonly string[] }> => {
	const { blueprint, clock, log, store } = options;
	const refused = (more: readonly PluginComplaint[]) => ({
		complaints: complaintLines(blueprint.file, [...blueprint.complaints, ...more.map(blueprint.place)]),
	});
	const rulesOf = createRulesOf(() => built.generation.all(policies), log);
	const statusOf: Recording["statusOf"] = (call, denial) =>
		denial === clientGone ? 499 : statusAt(routeOf(call)?.route, call.request, denial);
	const secondLook = createSecondLook(clock, (call) => identifyAgain(call, routeOf(call)?.route.keyInQuery === true));
	const forTasks = createTaskAuthority({
		rulesOf,
		secondLook,
		log,
		guards: () => built.generation.all(guards),
		refusals: () => refusals,
	});
	let rows: readonly PluginRow[] = [];
	const lent = new Map<string, unknown>([
		[clockService.id, clock],
		[storeService.id, store.store],
		[hostInfoService.id, options.hostInfo(() => rows)],
		[taskAuthority.id, forTasks],
	]);
	const order = blueprint.instances.map(({ name }) => name);
	const built = await buildGeneration(blueprint.ordered, order, lent, log);
	const { generation, complaints } = built;
	const router = generation.given(routerService);
	const byCore = (list: readonly Route[]): readonly OwnedRoute[] => list.map((route) => ({ plugin: "portico", route }));
	const own = byCore([openApiRoute(() => routes, options.version), ...options.own(() => rows)]);
	const listing = byCore(router ? modelRoutes(generation.all(protocols), rulesOf, router) : []);
	const clashes = routeClashes([...own, ...(router ? modelPaths(generation) : []), ...listing, ...generation.routes]);
	// Two protocols of one name have all their routes in common: one complaint says so.
	const wrong = [...complaints, ...clashes.filter(({ plugin }) => !complaints.some((one) => one.plugin === plugin))];
	if (wrong.length > 0 || blueprint.complaints.length > 0) return refused(wrong);
	rows = generation.rows;
	const recording: Recording = {
		clock,
		log,
		recorders: generation.all(recorders),
		statusOf,
		tracer: generation.given(tracer),
	};
	const refusals = new Refusals(recording);
	const ofBuild = { rulesOf, secondLook, recording, refusals };
	const relay = router && relayFor(generation, router, ofBuild, blueprint.config.server, options);
	const routes: readonly OwnedRoute[] = [...own, ...byCore(relay?.routes ?? []), ...listing, ...generation.routes];
	const ownedRoutes = new Map(routes.map((owned) => [`${owned.route.method} ${owned.route.path}`, owned]));
	// `HEAD` is answered by the route of `GET` where it has none of its own.
	const routeOf = ({ request, route }: Admitted): OwnedRoute | undefined =>
		ownedRoutes.get(`${request.method} ${route}`) ?? ownedRoutes.get(`GET ${route}`);
	// What it refuses is recorded by whoever asked.
	const identifyAgain = createIdentify(generation.all(authenticators), rulesOf, log, () => {});
	const { server, admin } = blueprint.config;
	const handler = new RequestHandler({
		routes,
		protocols: generation.all(protocols),
		clock,
		log,
		trustedProxies: networksOf(server.trustedProxies),
		origins: server.cors.origins,
		admin: {
			allow: networksOf(admin.allow),
			token: options.adminToken,
			hasHost: ownHosts(server.host, server.hosts),
		},
		doorkeepers: generation.all(doorkeepers),
		identify: createIdentify(generation.all(authenticators), rulesOf, log, (call, denial, refused) => {
			const { plugin = "", route } = routeOf(call) ?? {};
			const protocol = route?.protocol ?? plugin;
			refusals.add(call, denial, refused, { protocol, operation: route?.operation?.(call) });
		}),
		draining: options.draining,
		budget: options.budget,
	});
	return { built: { generation, refusals, relay, handler }, complaints: [] };
};

/**
 * What bodies and answers may hold at once. A process under load has some 110 MB besides, and as much again as they hold: of
 * more than a quarter the system ended one that had 512 MB or less.
 */
export const budgetFor = (
	{ memoryBytes: set }: Pick<ServerConfig, "memoryBytes">,
	memory = memoryBytes(),
): ByteBudget => new ByteBudget(set ?? Math.floor(memory / 4));

/** The model routes, each with the plugin whose protocol or endpoint has it: the routes themselves are the relay's. */
const modelPaths = ({ owned }: Generation) =>
	[
		...owned(protocols).map(({ plugin, value }) => ({ plugin, paths: value.client.paths })),
		...owned(endpoints).map(({ plugin, value }) => ({ plugin, paths: value.dialects.flatMap(({ paths }) => paths) })),
	].flatMap(({ plugin, paths }) =>
		[...new Set(paths)].map((path) => ({ plugin, route: { method: "POST", path } as const })),
	);

const relayFor = (
	generation: Generation,
	router: Router,
	ofBuild: Pick<RelayOptions, "rulesOf" | "secondLook" | "recording" | "refusals">,
	server: ServerConfig,
	{ clock, log, budget }: BuildOptions,
): Relay =>
	new Relay({
		protocols: generation.all(protocols),
		endpoints: generation.all(endpoints),
		...ofBuild,
		guards: generation.all(guards),
		costs: generation.given(costs),
		router,
		clock,
		log,
		bodyLimitBytes: Math.min(server.bodyLimitBytes, budget.largest),
		bodyMs: server.bodySeconds * 1000,
		concurrency: new ConcurrencyLimit(
			{ calls: server.maxCalls, callsPerToken: server.maxCallsPerToken, queueMs: server.queueSeconds * 1000 },
			clock,
		),
		openStreamBody,
		collectGarbage,
		limits: {
			idleMs: server.idleSeconds * 1000,
			totalMs: server.callSeconds * 1000,
			keepAliveMs: server.keepAliveSeconds * 1000,
			answerBytes: server.answerLimitBytes,
		},
	});
