/** The model routes: every path of every protocol, and of every dialect of every endpoint. */
import type { Identified } from "../../contract/call.ts";
import type { Dialect, Endpoint } from "../../contract/endpoint.ts";
import type { RenderDenial } from "../../contract/fault.ts";
import type { Protocol } from "../../contract/protocol.ts";
import type { Route } from "../../contract/route.ts";
import { readEndpoint } from "../reading/read-endpoint.ts";
import { readModel } from "../reading/read-model.ts";
import type { Entry, ReadingOptions } from "../reading/reading.ts";

interface Spoken {
	readonly name: string;
	readonly paths: readonly string[];
	readonly renderDenial: RenderDenial;
	readonly keyInQuery?: boolean;
}

/** The dialects of each path, in the order in which the endpoint names them. */
const dialectsByPath = ({ dialects }: Endpoint): ReadonlyMap<string, readonly [Dialect, ...Dialect[]]> => {
	const found = new Map<string, [Dialect, ...Dialect[]]>();
	for (const dialect of dialects)
		for (const path of dialect.paths) {
			const others = found.get(path);
			if (others) others.push(dialect);
			else found.set(path, [dialect]);
		}
	return found;
};

export const relayRoutes = (
	protocols: readonly Protocol[],
	endpoints: readonly Endpoint[],
	reading: ReadingOptions,
	serve: (entry: Entry, call: Identified) => Promise<Response>,
): readonly Route[] => {
	const routesOf = (
		{ name, paths, renderDenial, keyInQuery = false }: Spoken,
		summary: string,
		entry: Entry,
	): Route[] =>
		paths.map((path) => ({
			method: "POST",
			path,
			access: "token",
			protocol: name,
			operation: entry.operation,
			summary,
			renderDenial,
			keyInQuery,
			handle: (call) => serve(entry, call),
		}));
	return [
		...protocols.flatMap((protocol) =>
			routesOf(
				{ ...protocol.client, name: protocol.name },
				`Asks a model in the ${protocol.name} protocol.`,
				readModel(protocol, reading),
			),
		),
		...endpoints.flatMap((endpoint) =>
			[...dialectsByPath(endpoint)].flatMap(([path, shared]) => {
				const [{ name, renderDenial, keyInQuery = false }] = shared;
				return routesOf(
					{ name, paths: [path], renderDenial, keyInQuery },
					`Asks for ${endpoint.name} in the dialect ${shared.map(({ name }) => name).join(" or ")}.`,
					readEndpoint(endpoint, shared, { ...reading, endpoints }),
				);
			}),
		),
	];
};
