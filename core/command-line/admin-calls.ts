/** How a command reaches the admin routes: those of the running server, or of one that was opened for this command. */
import { readFileSync } from "node:fs";
import type { CallAdmin } from "../contract/command.ts";
import { deny, Fault } from "../contract/fault.ts";
import { adminTokenFile } from "../host/node-files.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";
import { fetchOwn } from "../runtime/system.ts";
import type { Opened } from "./open.ts";
import type { Invocation } from "./settings.ts";

const refuse = (message: string): never => {
	throw new Fault(deny("invalid_request", message));
};

/** The answer as JSON, or a `Fault` with its message. */
const answerOf = async (response: Response): Promise<unknown> => {
	const body = parseJson(await response.text());
	if (response.ok) return body;
	return refuse(asText(asRecord(asRecord(body)["error"])["message"]) ?? `the server answered ${response.status}`);
};

const requestOf = (address: string, token: string, method: string, path: string, body: unknown): Request =>
	new Request(address + path, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});

/** Asks the server at this address. */
export const overNetwork =
	(address: string, token: string): CallAdmin =>
	async (method, path, body) =>
		await answerOf(await fetchOwn(requestOf(address, token, method, path, body)));

/** Asks what this process has opened itself. */
export const inProcess =
	({ portico }: Opened, token: string): CallAdmin =>
	async (method, path, body) =>
		await answerOf(
			await portico.handle(requestOf("http://localhost", token, method, path, body), {
				address: "127.0.0.1",
				holdOpen: () => () => undefined,
			}),
		);

/** The admin token that a command sends. */
export const tokenOf = (invocation: Invocation, dataFolder: string): string =>
	invocation.environment["PORTICO_ADMIN_TOKEN"] || readFileSync(adminTokenFile(dataFolder), "utf8").trim();
