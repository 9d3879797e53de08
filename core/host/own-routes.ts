/** The few routes the host offers itself: health for machines, a greeting for people, reload for operators. */
import type { PluginRow } from "../contract/host-info.ts";
import type { Auditor } from "../contract/operator.ts";
import type { PublicRoute, Route } from "../contract/route.ts";
import { clientRoutes } from "./client-routes.ts";
import type { TroublesTogether } from "./troubles-together.ts";

export interface OwnRouteOptions {
	readonly version: string;
	/** Why calls cannot be answered now: a stop was asked for, the database does not work, or no charge can be written down. */
	unready(): "stopping" | "database" | "disk" | undefined;
	/** The database is on no disk of this node, so that others may take what this one cannot write down. */
	readonly sharesDatabase: boolean;
	/** How many upstreams are well, left alone, and tried again; without their names, for anyone may ask. */
	upstreams(): Readonly<Record<string, number>>;
	plugins(): readonly PluginRow[];
	/** The model that clients are told to ask for; undefined where none is known by its name. */
	model(): string | undefined;
	/** The config that runs, as it is understood: defaults filled in, secrets taken out. */
	config(): { readonly file: string; readonly text: string };
	/** Builds everything from the config file without starting it; gives the complaints. */
	check(): Promise<readonly string[]>;
	/** Reloads the config file; gives the complaints when it could not. */
	reload(): Promise<readonly string[]>;
	/** What is wrong with the server itself and its upstreams, all its workers. */
	troubles(): Promise<TroublesTogether>;
	readonly audit: Auditor;
}

const state = (
	path: string,
	summary: string,
	trouble: () => string | undefined,
	more: () => Readonly<Record<string, unknown>> = () => ({}),
): PublicRoute => ({
	method: "GET",
	path,
	access: "public",
	summary,
	handle() {
		const reason = trouble();
		const [status, word] = reason === undefined ? [200, "ok"] : [503, "unavailable"];
		return Response.json({ status: word, reason, ...more() }, { status, headers: { "cache-control": "no-store" } });
	},
});

/** Where a person goes whose browser opens the bare address, once some plugin serves it. */
const page = "/console";

export const ownRoutes = ({
	version,
	unready,
	sharesDatabase,
	upstreams,
	plugins,
	model,
	config,
	check,
	reload,
	troubles,
	audit,
}: OwnRouteOptions): readonly Route[] => [
	{
		method: "GET",
		path: "/",
		access: "public",
		summary: "Says what this is; leads browsers to the page, where there is one.",
		handle({ request }) {
			const served = plugins().some(({ routes }) => routes.includes(`GET ${page}`));
			if (served && request.headers.get("accept")?.includes("text/html") === true)
				return new Response(null, { status: 302, headers: { location: page, vary: "accept" } });
			return Response.json({
				name: "portico",
				version,
				message: "An AI model gateway. Send a key as `Authorization: Bearer sk-…`; GET /v1/models lists the models.",
			});
		},
	},
	{
		method: "HEAD",
		path: "/",
		access: "public",
		summary: "Says that something is here.",
		handle: () => new Response(null),
	},
	...clientRoutes(model),
	state("/healthz", "Whether the process runs.", () => undefined),
	state("/livez", "Whether the process runs.", () => undefined),
	state("/health", "Whether calls can be answered.", unready),
	state(
		"/acceptz",
		"Whether calls are taken, for balancers: 503 while stopping, and where only this node's disk is full. One without its database still answers those whose lease holds.",
		() => {
			const reason = unready();
			return reason === "stopping" || (reason === "disk" && sharesDatabase) ? reason : undefined;
		},
	),
	state(
		"/readyz",
		"Whether calls can be answered; 503 with the reason while stopping, without the database, or where the disk is full. Counts upstreams by their state.",
		unready,
		() => ({
			upstreams: upstreams(),
		}),
	),
	{
		method: "GET",
		path: "/admin/plugins",
		access: "admin",
		summary: "The plugins that are running.",
		handle: () => Response.json({ data: plugins() }),
	},
	{
		method: "GET",
		path: "/admin/troubles",
		access: "admin",
		summary:
			"What is wrong with the server itself, at any worker: its database, its config, its certificate, its plugins; since when, and what to do. Beside it the upstreams that are not well.",
		handle: async () => Response.json(await troubles()),
	},
	{
		method: "GET",
		path: "/admin/config",
		access: "admin",
		summary: "The config that runs, as it is understood: YAML, defaults filled in, secrets taken out.",
		handle: () => Response.json(config()),
	},
	{
		method: "POST",
		path: "/admin/check",
		access: "admin",
		summary: "Says what is wrong with the config file, as a start would find it; nothing is changed.",
		async handle() {
			const complaints = await check();
			return Response.json({ good: complaints.length === 0, complaints });
		},
	},
	{
		method: "POST",
		path: "/admin/reload",
		access: "admin",
		summary: "Builds everything anew from the config file; keeps what runs when that fails.",
		async handle(call) {
			const complaints = await reload();
			if (complaints.length === 0) await audit.did(call, { verb: "reload", kind: "config", object: config().file });
			return Response.json(
				{ reloaded: complaints.length === 0, complaints },
				{ status: complaints.length === 0 ? 200 : 422 },
			);
		},
	},
];
