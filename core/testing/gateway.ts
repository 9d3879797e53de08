/** A whole Portico for a test: real config, real plugins, a database in a temporary folder, a port of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Clock } from "../contract/clock.ts";
import type { Store } from "../contract/store.ts";
import { readBlueprint } from "../host/blueprint.ts";
import { lentServices } from "../host/build.ts";
import { Portico } from "../host/portico.ts";
import { asRecord, asText } from "../neutral/json.ts";
import { createLog } from "../runtime/log.ts";
import { listen } from "../runtime/serve.ts";
import { openStore } from "../store/open.ts";
import { systemClock } from "../wire/system-clock.ts";

export interface GatewayOptions {
	/** The `plugins` of the config file: names, or entries with `use`, `as` and `with`. Paths are absolute, for the file is nowhere near. */
	readonly plugins: readonly (string | { readonly use: string; readonly as?: string; readonly with?: unknown })[];
	/** Other sections of the config file. */
	readonly config?: Readonly<Record<string, unknown>>;
	readonly clock?: Clock;
	readonly environment?: Readonly<Record<string, string>>;
	/** Seconds that a connection may idle after an answer: 120 unless said. */
	readonly answeredSeconds?: number;
	/** The folder of the database, to open one again; the caller removes it. */
	readonly folder?: string;
}

export interface TestGateway {
	/** `http://127.0.0.1:PORT` */
	readonly url: string;
	/** The first token's key; empty when the database had tokens already. */
	readonly key: string;
	readonly adminToken: string;
	readonly folder: string;
	readonly store: Store;
	readonly portico: Portico;
	/** Log lines so far, parsed. */
	readonly log: readonly Readonly<Record<string, unknown>>[];
	/** Asks Portico with the first token, unless `init` carries another key. */
	ask(path: string, body?: unknown, init?: RequestInit): Promise<Response>;
	/** Calls an admin route; throws when it does not answer 2xx. */
	admin(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
	/** Issues a token with settings, one whose time is over too; gives its key. */
	token(settings?: Readonly<Record<string, unknown>>): Promise<{ readonly id: string; readonly key: string }>;
	stop(): Promise<void>;
}

const dayMs = 86_400_000;

/** A path that is seen from the test would be looked for beside the config file, in a folder that its author has never heard of. */
const refuseRelative = (plugins: GatewayOptions["plugins"]): void => {
	for (const plugin of plugins) {
		const use = typeof plugin === "string" ? plugin : plugin.use;
		if (/^\.{1,2}\//.test(use))
			throw new Error(`plugins: "${use}" must be an absolute path, as join(import.meta.dir, "${use}") makes it`);
	}
};

/** Starts it; throws with every complaint when the config is not good. */
export const startGateway = async (options: GatewayOptions): Promise<TestGateway> => {
	if (options.folder === undefined) refuseRelative(options.plugins);
	const folder = options.folder ?? mkdtempSync(join(tmpdir(), "portico-test-"));
	const file = join(folder, "portico.yaml");
	const plugins = options.plugins.map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin));
	const database = { url: `file:${join(folder, "portico.db")}` };
	// JSON is YAML.
	writeFileSync(file, JSON.stringify({ database, ...options.config, plugins }));
	const environment = options.environment ?? {};
	const read = () => readBlueprint({ file, environment, lent: lentServices });
	const remove = (): void => {
		if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
	};
	const refused = (complaints: readonly string[]): Error => {
		remove();
		return new Error(complaints.join("\n"));
	};
	const { blueprint, complaints } = await read();
	if (!blueprint) throw refused(complaints);
	const log: Record<string, unknown>[] = [];
	const clock = options.clock ?? systemClock;
	const keep = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
	const logger = createLog("debug", keep, clock);
	const store = await openStore({ ...blueprint.config.database, clock, log: logger });
	if ("heldBy" in store) throw new Error(`the database is held by process ${store.heldBy.pid}`);
	const adminToken = "admin-token-of-the-test-gateway-01234";
	const portico = new Portico({
		blueprint,
		store,
		clock,
		log: logger,
		version: "test",
		dataFolder: folder,
		node: "node_test",
		adminToken,
		serving: true,
		again: read,
	});
	const wrong = await portico.start().catch((error: Error) => [error.message]);
	if (wrong.length > 0) {
		await store.close();
		throw refused(wrong);
	}
	const listener = listen({
		host: "127.0.0.1",
		port: 0,
		reusePort: false,
		bodyLimitBytes: 1024 ** 3,
		...(options.answeredSeconds !== undefined && { answeredSeconds: options.answeredSeconds }),
		handle: (request, connection) => portico.handle(request, connection),
	});
	const url = `http://127.0.0.1:${listener.port}`;
	portico.serves(url);
	const key = (await portico.firstToken?.key()) ?? "";
	if (key !== "") await portico.firstToken?.shown();

	const admin: TestGateway["admin"] = async (method, path, body) => {
		const response = await fetch(url + path, {
			method,
			headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		const answer = asRecord(await response.json());
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
		return answer;
	};

	return {
		url,
		key,
		adminToken,
		folder,
		store: store.store,
		portico,
		log,
		ask: (path, body, init = {}) =>
			fetch(url + path, {
				method: body === undefined ? "GET" : "POST",
				...init,
				headers: {
					authorization: `Bearer ${key}`,
					"content-type": "application/json",
					...(init.headers as Record<string, string> | undefined),
				},
				...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
			}),
		admin,
		async token(settings = {}) {
			const { expiresAt } = settings;
			// None is issued whose time is over, but any grows as old as that.
			const isOver = typeof expiresAt === "string" && Date.parse(expiresAt) <= clock.now();
			const later = isOver && { expiresAt: new Date(clock.now() + dayMs).toISOString() };
			const issued = await admin("POST", "/admin/tokens", { name: "test", ...settings, ...later });
			const id = asText(issued["id"]) ?? "";
			if (isOver)
				await store.store.write([
					sql`UPDATE tokens SET settings = json_set(settings, '$.expiresAt', ${expiresAt}) WHERE id = ${id}`,
				]);
			return { id, key: asText(issued["key"]) ?? "" };
		},
		async stop() {
			portico.drain();
			await portico.stop();
			await listener.cut();
			await store.close();
			remove();
		},
	};
};
