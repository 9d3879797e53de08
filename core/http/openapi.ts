/** `GET /openapi.json`: every route as OpenAPI 3.1, made from the routes themselves and the schemas of their bodies. */
import type { PublicRoute, Route } from "../contract/route.ts";
import { isRecord } from "../neutral/json.ts";
import type { OwnedRoute } from "./app.ts";

/** The path as OpenAPI has it: `{id}` for `:id`; what a `*` takes is called `rest`. */
const templateOf = (path: string): string =>
	path.replace(/(?<!\*):([A-Za-z]\w*)/g, "{$1}").replace(/\*(?=$|:[A-Za-z]+$)/, "{rest}");

/** The same for paths that differ only in the names of their parameters, which OpenAPI takes for one. */
const shapeOf = (template: string): string => template.replace(/\{\w+\}/g, "{}");

const parametersOf = (template: string): readonly unknown[] =>
	[...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
		name,
		in: "path",
		required: true,
		schema: { type: "string" },
	}));

/** `getAdminTokensById`, from the method and the words of the path. */
const operationIdOf = (method: string, template: string): string => {
	const words = template
		.replace(/\{(\w+)\}/g, "by-$1")
		.split(/[^A-Za-z0-9]+/)
		.filter((word) => word !== "");
	const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
	return method.toLowerCase() + (name === "" ? "Root" : name);
};

/** A schema as plain JSON, without the words that are the config's own. */
const plain = (schema: unknown): unknown => {
	if (Array.isArray(schema)) return schema.map(plain);
	if (!isRecord(schema)) return schema;
	const members = Object.entries(schema).filter(([key]) => key !== "secret");
	return Object.fromEntries(members.map(([key, value]) => [key, plain(value)]));
};

const security: Readonly<Record<Route["access"], readonly unknown[]>> = {
	public: [],
	token: [{ token: [] }, { apiKey: [] }, { googleKey: [] }],
	admin: [{ admin: [] }, { session: [] }],
	person: [{ admin: [] }, { session: [] }],
};

const failure = {
	description: "A refusal or a failure, in the shape of the protocol that was called; elsewhere as here.",
	content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
};

/** What the query of an operator's route may name. */
const queryOf = (route: Route): readonly unknown[] =>
	route.access === "admin" || route.access === "person"
		? (route.query ?? []).map((name) => ({ name, in: "query", schema: { type: "string" } }))
		: [];

const bodyOf = ({ method, body, access }: Route): unknown => {
	if (body !== undefined) return { content: { "application/json": { schema: plain(body) } } };
	if (access !== "token" || method !== "POST") return undefined;
	const description = "As the protocol or the vendor of this path has it.";
	return { description, content: { "application/json": { schema: { type: "object" } } } };
};

const operationOf = ({ plugin, route }: OwnedRoute, operationId: string): unknown => {
	const requestBody = bodyOf(route);
	const parameters = queryOf(route);
	return {
		operationId,
		tags: [plugin],
		summary: route.summary,
		security: security[route.access],
		...(parameters.length > 0 && { parameters }),
		...(requestBody !== undefined && { requestBody }),
		responses: { "2XX": { description: "The answer." }, default: failure },
	};
};

const components = {
	securitySchemes: {
		token: { type: "http", scheme: "bearer", description: "A token that Portico issued." },
		apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same token." },
		googleKey: { type: "apiKey", in: "header", name: "x-goog-api-key", description: "The same token." },
		admin: { type: "http", scheme: "bearer", description: "The admin token, from the data folder." },
		session: {
			type: "apiKey",
			in: "cookie",
			name: "__Host-portico-session",
			description: "Somebody who signed in. Over plain http, on this very machine, its name is portico-session.",
		},
	},
	schemas: {
		Failure: {
			type: "object",
			required: ["error"],
			properties: {
				error: {
					type: "object",
					required: ["message", "type"],
					properties: {
						message: { type: "string", description: "What was found, what was expected, what to do." },
						type: { type: "string" },
						code: { type: ["string", "null"] },
						param: { type: ["string", "null"] },
					},
				},
			},
		},
	},
};

/** The document, in the order of the paths. */
const openApiOf = (routes: readonly OwnedRoute[], version: string): Readonly<Record<string, unknown>> => {
	const paths = new Map<string, { readonly template: string; readonly item: Record<string, unknown> }>();
	const ids = new Set<string>();
	const freeId = (wanted: string): string => {
		let id = wanted;
		for (let count = 2; ids.has(id); count++) id = `${wanted}${count}`;
		ids.add(id);
		return id;
	};
	const sorted = routes.toSorted((one, other) => (one.route.path < other.route.path ? -1 : 1));
	for (const owned of sorted) {
		const template = templateOf(owned.route.path);
		const known = paths.get(shapeOf(template)) ?? { template, item: { parameters: parametersOf(template) } };
		paths.set(shapeOf(template), known);
		const method = owned.route.method.toLowerCase();
		known.item[method] = operationOf(owned, freeId(operationIdOf(method, known.template)));
	}
	const tags = [...new Set(routes.map(({ plugin }) => plugin))].toSorted().map((name) => ({ name }));
	return {
		openapi: "3.1.0",
		info: {
			title: "Portico",
			version,
			description: "The routes of this gateway, as its plugins offer them.",
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [{ url: "/" }],
		tags,
		paths: Object.fromEntries([...paths.values()].map(({ template, item }) => [template, item])),
		components,
	};
};

/** Anyone may read it: it says what a gateway can do, and nothing of whose it is. Made at its first request. */
export const openApiRoute = (routes: () => readonly OwnedRoute[], version: string): PublicRoute => {
	let text: string | undefined;
	return {
		method: "GET",
		path: "/openapi.json",
		access: "public",
		summary: "This description of all routes, as OpenAPI 3.1.",
		handle() {
			text ??= JSON.stringify(openApiOf(routes(), version));
			return new Response(text, { headers: { "content-type": "application/json" } });
		},
	};
};
