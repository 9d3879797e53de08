/** `portico serve`: listens, greets, and stops without losing anything. */
import { existsSync } from "node:fs";
import { headroomBytes } from "../config/need-restart.ts";
import { commandLine } from "../connect/print.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import { protocols } from "../contract/protocol.ts";
import { router } from "../contract/router.ts";
import { describe, whatFailed } from "../errors/describe.ts";
import { adminTokenFile } from "../host/node-files.ts";
import { createHeldLog, type LogFormat, type LogLevel } from "../runtime/log.ts";
import { type CertificateFiles, listenSecurely } from "../runtime/secure-listener.ts";
import { addressOf, type Listener, type ListenOptions, listen } from "../runtime/serve.ts";
import { hearStarter, holdSignal, onStrayFailure, readyToSend, tellStarter } from "../runtime/system.ts";
import { databaseFile } from "../store/connection.ts";
import type { Owner } from "../store/open.ts";
import { systemClock } from "../wire/system-clock.ts";
import { type Opened, openGateway, settleLeft } from "./open.ts";
import { calledAs, commandOf, type Invocation } from "./settings.ts";
import { hearStop } from "./told-to-stop.ts";
import { warningsOf } from "./warnings.ts";
import { workersBeside } from "./workers-beside.ts";

/** A call that is answered when it is pasted; none where no model is known by its name, or clients of its protocol are not served. */
const firstCall = ({ portico }: Opened, address: string, token: string): readonly string[] => {
	const isServed = portico.generation?.all(protocols).some(({ name }) => name === "chat-completions");
	const models = portico.generation?.given(router)?.models() ?? [];
	const model = models.find(({ capabilities }) => capabilities.embeds !== true);
	if (!isServed || !model) return [];
	const body = JSON.stringify({ model: model.name, messages: [{ role: "user", content: "Hello" }] });
	const headers = [`authorization: Bearer ${token}`, "content-type: application/json"].flatMap((one) => ["-H", one]);
	return ["", "  try it:", `  ${commandLine(["curl", `${address}/v1/chat/completions`, ...headers, "-d", body])}`];
};

const below = (words: string): string => `${" ".repeat("  first token   ".length)}${words}`;

/** One piece of text, so that whoever reads it by machine has all of it or nothing. */
const greeting = (
	opened: Opened,
	invocation: Invocation,
	address: string,
	firstToken: string | undefined,
	signIn: string | undefined,
): string => {
	const invite = commandOf(invocation, "person invite --role admin");
	const create = commandOf(invocation, "token create --name NAME");
	const { config, file, path } = opened.blueprint;
	const lines = [
		`Portico serves at ${address}`,
		"",
		`  config        ${invocation.builtIn && !existsSync(file) ? `the built-in default; ${calledAs(invocation)} init writes a file to begin with` : path}`,
		`  data          in ${opened.dataFolder}`,
	];
	if (databaseFile(config.database.url) === undefined) lines.push(below("and on a database server"));
	// What is said of a link or a key stands below it: in one line a terminal would break both anywhere.
	if (signIn !== undefined) lines.push(`  sign in       ${signIn}`, below(`once, within a day; more with: ${invite}`));
	else if (opened.portico.firstSignIn) lines.push(`  sign in       by invitation: ${invite}`);
	if (firstToken === undefined) {
		if (opened.portico.firstToken) lines.push(`  tokens        one more with: ${create}`);
		return [...lines, ""].join("\n");
	}
	lines.push(
		`  first token   ${firstToken}`,
		below(`shown this once; more with: ${create}`),
		`  admin token   in ${invocation.environment["PORTICO_ADMIN_TOKEN"] ? "PORTICO_ADMIN_TOKEN" : adminTokenFile(opened.dataFolder)}`,
		...firstCall(opened, address, firstToken),
		"",
	);
	return lines.join("\n");
};

type LogOf = (level: LogLevel, format: LogFormat | undefined) => Log;

const pause = (milliseconds: number): Promise<void> =>
	new Promise<void>((resolve) => void setTimeout(resolve, milliseconds));

/** Waits until no call is open or must be any longer. */
const drained = async ({ portico }: Opened): Promise<void> => {
	while (portico.openCalls() > 0 && !portico.mustEnd.signal.aborted) await pause(50);
};

/** `now` resolves when what is under way is to end at once; it is settled and written down all the same. */
const stop = async (opened: Opened, listener: Listener, now: Promise<void>): Promise<void> => {
	const { log, portico } = opened;
	const { shutdownDelaySeconds } = portico.server;
	if (shutdownDelaySeconds > 0) {
		log.info("told to stop: /readyz says so, calls are still answered", { seconds: shutdownDelaySeconds });
		portico.leave();
		await Promise.race([now, pause(shutdownDelaySeconds * 1000)]);
	}
	log.info("stopping: no new calls, running ones may finish; a second SIGINT (Ctrl-C) ends them", {
		calls: portico.openCalls(),
	});
	portico.drain();
	const closed = listener.close();
	void now.then(() => {
		log.info("told again to stop: running calls end now", { calls: portico.openCalls() });
		portico.mustEnd.abort();
	});
	await drained(opened);
	await opened.close();
	// What shutDown wrote to open streams has to reach their clients before the connections are cut.
	await Promise.race([closed, pause(1000)]);
	await listener.cut();
	log.info("stopped");
};

/** Throws `Fault` that says who has it. */
export const refuseHeld = ({ pid, address }: Owner): never => {
	const where = address === undefined ? "" : ` at ${address}`;
	const advice = "Stop that one, or give this one another database.url and server.dataFolder.";
	const message = `the database is in use by process ${pid}${where}, or its data folder is; each belongs to one process. ${advice}`;
	throw new Fault(deny("conflict", message));
};

/** The system's words for an address that is none of this machine's, and for a name that leads to none. */
const noAddress = /EADDRNOTAVAIL|EINVAL|ENOTFOUND|EAI_|cannot assign|not available|lookup/i;

/** Listens, or throws a `Fault` that tells what to do. */
export const listenAt = (options: ListenOptions): Listener => {
	try {
		return listen(options);
	} catch (error) {
		const where = `${options.host}:${options.port}`;
		const why = error instanceof Error ? error.message.replace(/[.\s]+$/, "") : describe(error);
		const advice = noAddress.test(why)
			? "server.host must be an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them."
			: "Choose another port with --port.";
		const message = `${where} cannot be listened on (${why}). ${advice}`;
		throw new Fault(deny("conflict", message), error);
	}
};

const listenSecurelyAt = async (
	options: ListenOptions,
	files: CertificateFiles,
	{ log, portico }: Opened,
): Promise<Listener> => {
	const shown = (until: string): void => portico.certificate.shown(until);
	try {
		return await listenSecurely(options, {
			files,
			shown,
			renewed(until) {
				shown(until);
				log.info("serves with a new certificate", { until });
			},
			failed(error) {
				portico.certificate.refused(describe(error));
				log.error("the new certificate cannot be used; the one before it still is", { error: describe(error) });
			},
		});
	} catch (error) {
		const where = `${options.host}:${options.port}`;
		const message = `${where} cannot be listened on with server.tls: ${describe(error)}`;
		throw new Fault(deny("conflict", message), error);
	}
};

/** A start that takes longer says why by then: less than a plugin may take before the log tells of it. */
const longestHeldMs = 20_000;

/** Serves until told to stop; resolves when everything is written and closed. */
export const serve = async (invocation: Invocation, greet: (text: string) => void): Promise<void> => {
	let release = (): void => {};
	// People read the greeting first, where there is one soon.
	const held: LogOf = (level, format) => {
		const { log, release: letGo } = createHeldLog(level, format, invocation.worker);
		release = letGo;
		systemClock.after(longestHeldMs, letGo);
		return log;
	};
	try {
		const greetFirst = (text: string): void => {
			greet(text);
			release();
		};
		await serveUntilStopped(invocation, held, greetFirst, () => release());
	} finally {
		release();
	}
};

const serveUntilStopped = async (
	invocation: Invocation,
	logOf: LogOf,
	greet: (text: string) => void,
	changing: () => void,
): Promise<void> => {
	const workers =
		invocation.worker === undefined
			? undefined
			: workersBeside({ say: tellStarter, hear: hearStarter, clock: systemClock });
	const opened = await openGateway(invocation, true, refuseHeld, { logOf, changing, ...(workers && { workers }) });
	const { portico, blueprint, log } = opened;
	onStrayFailure((error) =>
		portico.log.error("something failed that nobody waited for, most likely in a plugin", whatFailed(error)),
	);
	if (invocation.worker === undefined)
		await settleLeft({ ...invocation, database: opened.database }, opened.dataFolder, 0);
	const { host, port, bodyLimitBytes, tls } = blueprint.config.server;
	const options: ListenOptions = {
		host,
		port,
		reusePort: invocation.worker !== undefined,
		bodyLimitBytes: bodyLimitBytes + headroomBytes,
		handle: (request, connection) => portico.handle(request, connection),
	};
	await readyToSend();
	let listener: Listener;
	try {
		listener = tls === undefined ? listenAt(options) : await listenSecurelyAt(options, tls, opened);
	} catch (error) {
		await opened.close();
		throw error;
	}
	if (portico.generation)
		for (const warning of warningsOf(blueprint, portico.generation, invocation))
			log.warn("check the config", { warning });
	// From the first call on: whoever reads the greeting may tell the process to stop before the next line is reached.
	const told = hearStop(systemClock);
	const address = addressOf(host, listener.port, tls !== undefined);
	portico.serves(address);
	opened.store.describe({ address });
	const firstKey = await portico.firstToken?.key();
	// Written down first: a key that somebody has seen is never taken from them.
	if (firstKey !== undefined) await portico.firstToken?.shown();
	const signIn = await portico.firstSignIn?.(address);
	greet(greeting(opened, invocation, address, firstKey, signIn));
	const endReloads = (invocation.reloads ?? holdSignal("SIGHUP")).act(() => {
		portico.reload().then(
			(complaints) => {
				for (const complaint of complaints) log.error("the new configuration was refused", { complaint });
			},
			(error: unknown) => log.error("the reload failed", { error: describe(error) }),
		);
	});
	await told.stop;
	endReloads();
	await stop(opened, listener, told.now);
};
