/** The only file that knows Elysia: turns the flat list of routes into something that answers requests. */
import { type AnyElysia, Elysia } from "elysia";
import type { Route } from "../contract/route.ts";
import type { Params } from "./arrival.ts";

/** A route and the plugin instance that offers it. */
export interface OwnedRoute {
	readonly plugin: string;
	readonly route: Route;
}

interface AppHandlers {
	/** A matched route. */
	serve(route: Route, request: Request, params: Params): Promise<Response>;
	/** No route: `allowed` are the methods the path does have. */
	miss(request: Request, allowed: readonly string[]): Response;
	/** Something was thrown outside every handler. */
	fail(request: Request, error: unknown): Response;
}

export interface App {
	handle(request: Request): Promise<Response>;
}

/** The same for paths that only differ in the names of their parameters. What follows a `*` is a verb, not a parameter. */
const shapeOf = (path: string): string => path.replace(/(?<!\*):[^/]+/g, ":");

/** `…/*:verb` apart: the path up to its `*`, and the verb. */
const verbOf = (path: string): { readonly base: string; readonly verb: string } | undefined => {
	const match = /^(.*\*):([A-Za-z]+)$/.exec(path);
	return match ? { base: match[1] ?? "", verb: match[2] ?? "" } : undefined;
};

/** Names every pair of routes on one method and path. */
export const routeClashes = (
	routes: readonly { readonly plugin: string; readonly route: Pick<Route, "method" | "path"> }[],
): readonly { readonly plugin: string; readonly message: string }[] => {
	const owners = new Map<string, string>();
	const clashes: { plugin: string; message: string }[] = [];
	for (const { plugin, route } of routes) {
		const key = `${route.method} ${shapeOf(route.path)}`;
		const other = owners.get(key);
		if (other === undefined) owners.set(key, plugin);
		else
			clashes.push({
				plugin,
				message: `"${other}" offers the route ${route.method} ${route.path} too; switch one of them off`,
			});
	}
	return clashes;
};

/** Finds routes whose path has no parameter, which are most that are asked for, by the path as it stands in the address. */
export const exactRoutes = (
	routes: readonly OwnedRoute[],
): ((method: string, address: string) => Route | undefined) => {
	const byPath = new Map<string, Map<string, Route>>();
	for (const { route } of routes) {
		if (/[:*]/.test(route.path)) continue;
		const known = byPath.get(route.path) ?? new Map<string, Route>();
		byPath.set(route.path, known.set(route.method, route));
	}
	return (method, address) => {
		const start = address.indexOf("/", 8);
		const end = address.indexOf("?", start);
		return byPath.get(end === -1 ? address.slice(start) : address.slice(start, end))?.get(method);
	};
};

const matcherOf = (path: string): RegExp =>
	new RegExp(
		`^${path
			.replace(/[.+?^$()[\]{}|\\]/g, "\\$&")
			.replace(/(?<!\*):[^/]+/g, "[^/]+")
			.replace(/\*(?=$|:[A-Za-z]+$)/, ".*")}$`,
	);

/**
 * The path as the library may have it, which refuses two names for a parameter in one place: each is called by its place.
 * `read` gives the parameters by the route's own names; undefined when one is no text (a broken `%` escape).
 */
const placed = (path: string) => {
	const names: [place: string, name: string][] = [];
	const parts = path.split("/").map((part, index) => {
		if (!part.startsWith(":")) return part;
		names.push([`p${index}`, part.slice(1)]);
		return `:p${index}`;
	});
	const read = (found: Found): Params | undefined => {
		const rest = found["*"];
		const params: Record<string, string> = typeof rest === "string" ? { "*": rest } : {};
		for (const [place, name] of names) {
			const value = found[place];
			if (typeof value !== "string") return undefined;
			params[name] = value;
		}
		return params;
	};
	return { path: parts.join("/"), read };
};

/** What the library found: a text it could not decode is null. */
type Found = Readonly<Record<string, string | null>>;

type Handler = (context: { request: Request; params?: Found }) => Promise<Response>;

/** What is used of Elysia's `route`, whose own types follow every route added and slow the compiler to a crawl. */
interface Routable {
	route(method: string, path: string, handler: Handler, hook: { parse: "none" }): AnyElysia;
}

/**
 * Builds the app. Bodies are never parsed here (`parse: "none"`), nothing is ever set on the library's own response,
 * and `compile` runs now, so that what is wrong is found before what runs is replaced.
 */
export const createApp = (routes: readonly OwnedRoute[], handlers: AppHandlers): App => {
	let app: AnyElysia = new Elysia({ normalize: false });
	const matchers = routes.map(({ route }) => ({ method: route.method, pattern: matcherOf(route.path) }));
	app = app.onError(({ code, request, error }) => {
		if (code !== "NOT_FOUND") return handlers.fail(request, error);
		const { pathname } = new URL(request.url);
		const allowed = matchers.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method);
		return handlers.miss(request, [...new Set(allowed)]);
	});
	const offer = (
		method: string,
		path: string,
		answer: (request: Request, params: Params) => Promise<Response>,
	): void => {
		const { path: place, read } = placed(path);
		const handler: Handler = ({ request, params: found = {} }) => {
			const params = read(found);
			return params ? answer(request, params) : Promise.resolve(handlers.miss(request, []));
		};
		app = (app as unknown as Routable).route(method, place, handler, { parse: "none" });
	};
	const verbs = verbTables(routes);
	for (const { method, path, table, plain } of verbs.values())
		offer(method, path, (request, params) => {
			const rest = (params["*"] ?? "").replace(/%3a/gi, ":");
			const colon = rest.lastIndexOf(":");
			const named = colon === -1 ? undefined : table.get(rest.slice(colon + 1));
			if (named) return handlers.serve(named, request, { ...params, "*": rest.slice(0, colon) });
			return plain ? handlers.serve(plain, request, params) : Promise.resolve(handlers.miss(request, []));
		});
	for (const { route } of routes)
		if (!verbs.has(`${route.method} ${verbOf(route.path)?.base ?? route.path}`))
			offer(route.method, route.path, (request, params) => handlers.serve(route, request, params));
	app.compile();
	return { handle: async (request) => await app.fetch(request) };
};

/** Routes on one `…/*` that are told apart by the verb after the last colon. `plain`: the one that takes all other verbs. */
interface VerbTable {
	readonly method: string;
	readonly path: string;
	readonly table: Map<string, Route>;
	plain?: Route;
}

const verbTables = (routes: readonly OwnedRoute[]): ReadonlyMap<string, VerbTable> => {
	const tables = new Map<string, VerbTable>();
	for (const { route } of routes) {
		const parts = verbOf(route.path);
		if (!parts) continue;
		const key = `${route.method} ${parts.base}`;
		const known = tables.get(key) ?? { method: route.method, path: parts.base, table: new Map() };
		known.table.set(parts.verb, route);
		tables.set(key, known);
	}
	for (const { route } of routes) {
		const table = tables.get(`${route.method} ${route.path}`);
		if (table) table.plain = route;
	}
	return tables;
};
