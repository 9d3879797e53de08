/** How a command reaches the admin routes: those of the running server, or of one that was opened for this command. */
import { existsSync, readFileSync } from "node:fs";
import { refuseCommand } from "../config/command-words.ts";
import type { CallAdmin } from "../contract/command.ts";
import { deny, Fault, isFault } from "../contract/fault.ts";
import { adminTokenFile } from "../host/node-files.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";
import { fetchOwn } from "../runtime/fetch-own.ts";
import type { Opened } from "./open.ts";
import type { Invocation } from "./settings.ts";

/** A server that has the lock and has said where it serves. */
export interface Server {
	readonly address: string;
	readonly pid: number;
}

/** The answer as JSON, or a `Fault` with its message, and `advice` where the server or its database does not work. */
const answerOf = async (response: Response, advice = ""): Promise<unknown> => {
	const body = parseJson(await response.text());
	// What the server did not do is an answer too: its complaints are all of it.
	if (response.ok || Array.isArray(asRecord(body)["complaints"])) return body;
	if (response.status === 401)
		return refuseCommand(
			"the server does not take this command's admin token: give the command the PORTICO_ADMIN_TOKEN that the server was started with, or none where that was started without",
		);
	const said = asText(asRecord(asRecord(body)["error"])["message"]) ?? `the server answered ${response.status}`;
	return refuseCommand(response.status === 503 ? said + advice : said);
};

const requestOf = (address: string, token: string, method: string, path: string, body: unknown): Request =>
	new Request(address + path, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});

/** Asks the server that has the lock. It must say at first that it runs; what it is then asked may take long. Throws `Fault` where it stops meanwhile. */
export const overNetwork = async (
	{ address, pid }: Server,
	token: string,
	answersWithinMs = 10_000,
): Promise<CallAdmin> => {
	const ask = async (request: Request, signal?: AbortSignal): Promise<unknown> => {
		try {
			return await answerOf(await fetchOwn(request, signal), "; portico status says what is wrong");
		} catch (error) {
			if (isFault(error)) throw error;
			const message = `process ${pid} at ${address} is stopping, or does not answer; try again in a moment`;
			throw new Fault(deny("conflict", message), error);
		}
	};
	await ask(requestOf(address, token, "GET", "/livez", undefined), AbortSignal.timeout(answersWithinMs));
	return (method, path, body) => ask(requestOf(address, token, method, path, body));
};

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

/** The admin token that a command sends. Throws `Fault` where the server was given one that this command was not. */
export const tokenOf = (invocation: Invocation, dataFolder: string): string => {
	const given = invocation.environment["PORTICO_ADMIN_TOKEN"];
	if (given) return given;
	const file = adminTokenFile(dataFolder);
	if (existsSync(file)) return readFileSync(file, "utf8").trim();
	return refuseCommand(
		`there is no admin token in ${file}: the server was started with PORTICO_ADMIN_TOKEN; give this command the same`,
	);
};
