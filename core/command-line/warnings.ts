/** What a config may say and probably does not mean, as far as the core can tell; plugins add their own. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../config/read.ts";
import { authenticators } from "../contract/authenticator.ts";
import { warnings } from "../contract/command.ts";
import { endpoints } from "../contract/endpoint.ts";
import { protocols } from "../contract/protocol.ts";
import { router } from "../contract/router.ts";
import type { Blueprint } from "../host/blueprint.ts";
import { budgetFor } from "../host/build.ts";
import type { Generation } from "../host/generation.ts";
import { adminTokenFile } from "../host/node-files.ts";
import { memoryBytes } from "../runtime/system.ts";
import { databaseFile } from "../store/connection.ts";
import { dataFolderOf } from "./open.ts";
import type { Invocation } from "./settings.ts";

const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/.test(host);

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

/** Of a schedule by which no backup will come about. */
const backupWarnings = ({ url, backup }: Config["database"], dataFolder: string): readonly string[] => {
	const { schedule, folder } = backup;
	if (schedule === undefined) return [];
	if (databaseFile(url) === undefined)
		return ["database.backup: a database server makes its own backups; the schedule will fail"];
	if (folder === undefined || dirname(folder) === dataFolder || existsSync(folder)) return [];
	return [
		`database.backup.folder: there is no folder ${folder}, and backups will fail; mount the disk it is on, or make it`,
	];
};

export const warningsOf = (
	blueprint: Blueprint,
	generation: Generation,
	{ environment }: Pick<Invocation, "environment">,
): readonly string[] => {
	const { server, database } = blueprint.config;
	const dataFolder = dataFolderOf(blueprint);
	const found: string[] = [];
	if (!isLoopback(server.host) && server.tls === undefined && server.trustedProxies.length === 0)
		found.push(
			`server.host: ${server.host} is reached from elsewhere over plain HTTP, where keys can be read on the way. Give server.tls, or put a proxy with TLS before it and name it in server.trustedProxies`,
		);
	const { total, largest } = budgetFor(server);
	if (server.bodyLimitBytes > largest)
		found.push(
			`server.bodyLimitBytes: bodies of more than ${inMegabytes(largest)}, half of what all may hold (server.memoryBytes, a quarter of the ${inMegabytes(memoryBytes())} that this process may use unless it is set), are refused, though ${inMegabytes(server.bodyLimitBytes)} are allowed. Lower server.bodyLimitBytes, or give the process more memory`,
		);
	if (total > memoryBytes() / 2)
		found.push(
			`server.memoryBytes: bodies and answers may hold ${inMegabytes(total)} of the ${inMegabytes(memoryBytes())} that this process may use, and the system ends one that uses more. Lower server.memoryBytes, or give the process more`,
		);
	const forModels = generation.all(protocols).length + generation.all(endpoints).length > 0;
	// Tasks are submitted at routes.
	const forTokens = generation.routes.some(({ route }) => route.access === "token" && route.method === "POST");
	if (blueprint.instances.length === 0)
		found.push('plugins: none is named, so no call is answered; "portico init" writes a file to begin with');
	else if (!forModels && !forTokens)
		found.push(
			'plugins: none answers calls of models, so every one is 404; add a protocol such as "- use: chat-completions", and "- use: router"',
		);
	if (forModels && generation.given(router) === undefined)
		found.push('plugins: none knows any models, so every call is refused; add "- use: router"');
	if (forModels && generation.all(authenticators).length === 0)
		found.push('plugins: none recognises tokens, so every call is refused; add "- use: tokens"');
	if (environment["PORTICO_ADMIN_TOKEN"] && existsSync(adminTokenFile(dataFolder)))
		found.push(
			`the admin token is given twice: PORTICO_ADMIN_TOKEN counts, the one in ${adminTokenFile(dataFolder)} does not; remove one of them`,
		);
	return [...found, ...backupWarnings(database, dataFolder), ...generation.all(warnings)];
};
