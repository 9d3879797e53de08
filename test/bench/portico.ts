/**
 * Portico under measurement: every policy, quota, budgets, the ledger with tags, metrics, alerts, people with their audit, the
 * console and the call log on, in front of the bench's upstream. Only `otel` and guards are off, as they are unless asked for.
 */
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asRecord, asText } from "#core";
import { bodyOf, chatPath, type Party } from "./drive.ts";
import { processorMicros, runToItsEnd, start } from "./processes.ts";

export const protocols = ["chat-completions", "messages", "responses", "generate-content"] as const;

const root = join(import.meta.dir, "../..");

const pluginsFor = (upstream: string, without: readonly string[]) =>
	everyPlugin(upstream).filter(({ use }) => !without.includes(use));

const everyPlugin = (upstream: string) => [
	{ use: "tokens" },
	{ use: "expiry" },
	{ use: "model-list" },
	{ use: "ip-whitelist" },
	{ use: "prices", with: { models: { bench: { input: 1, output: 2 } } } },
	{ use: "quota" },
	{ use: "rate-limit" },
	...protocols.map((use) => ({ use })),
	{
		use: "router",
		with: {
			upstreams: protocols.map((protocol) => ({
				name: protocol,
				protocol,
				url: `${upstream}/${protocol === "generate-content" ? "v1beta" : "v1"}`,
				key: "sk-bench",
			})),
			models: [
				{ name: "bench", targets: [{ upstream: "chat-completions" }] },
				...protocols.map((protocol) => ({
					name: `bench-${protocol}`,
					targets: [{ upstream: protocol, model: "bench" }],
				})),
			],
		},
	},
	{ use: "ledger", with: { tags: ["app", "env"] } },
	{ use: "call-log" },
	{ use: "metrics" },
	{ use: "people" },
	{ use: "console" },
	{ use: "webhooks" },
	{ use: "alerts", with: { url: `${upstream}/alerts`, secret: alertSecret, privateNetwork: true } },
];

const alertSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** What operators see of calls, beside the ledger and the log; and of tokens budgets and tags. */
export const seeing = ["metrics", "people", "console", "alerts", "webhooks", "budgets", "tags"];

export interface PorticoOptions {
	/** A database server; without it a file. */
	readonly database?: string;
	readonly workers?: number;
	/** As packages and images have it, in one file, in place of the sources. */
	readonly built?: boolean;
	/** The one processor core that it may use. */
	readonly core?: number | undefined;
	/** Plugins, and the settings `budgets` and `tags`, that are left out to see what each costs. */
	readonly without?: readonly string[];
}

/** A party that this bench has started. */
export interface Started extends Party {
	readonly pid: number;
	/** From the start of the process to the end of its first answered call, milliseconds. */
	readonly firstAnswerMs: number;
	/** Processor time it had used by then, milliseconds. */
	readonly firstAnswerProcessorMs: number;
	stop(): Promise<void>;
}

const call = async (url: string, key: string): Promise<void> => {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const answer = await fetch(url + chatPath, { method: "POST", headers, body: bodyOf() });
	const text = await answer.text();
	if (answer.status !== 200) throw new Error(`the first call was answered ${answer.status}: ${text}`);
};

const firstAnswer = (began: number, pid: number) => ({
	firstAnswerMs: performance.now() - began,
	firstAnswerProcessorMs: processorMicros(pid) / 1000,
});

let built: Promise<string> | undefined;

/** What `npm run build` makes, made anew once a run. */
const builtProgram = (): Promise<string> => {
	built ??= runToItsEnd(join(root, "bin/build.ts"), []).then(() => join(root, "built/portico.js"));
	return built;
};

/** The least a gateway can be. */
export const startRelay = async (upstream: string): Promise<Started> => {
	const began = performance.now();
	const running = await start([join(import.meta.dir, "bare-relay.ts"), upstream]);
	await call(running.url, "");
	const { pid, url, stop } = running;
	return { name: "bare relay", headers: {}, pid, url, ...firstAnswer(began, pid), stop };
};

/** What a token is held to, by the policy that does. */
const settings = {
	quota: { quota: 1_000_000 },
	budgets: {
		budgets: [
			{ amount: 100_000, per: "day" },
			{ amount: 1_000_000, per: "month", zone: "Europe/Berlin" },
		],
	},
	tags: { tags: { env: "bench" } },
	"model-list": { models: ["bench*"] },
	"ip-whitelist": { ips: ["127.0.0.0/8"] },
	expiry: { expiresAt: "2099-01-01T00:00:00Z" },
} as const;

/** Settings that go with the plugin that keeps them. */
const belonging: Readonly<Record<string, readonly string[]>> = { quota: ["budgets"], ledger: ["tags"] };

/** A token with every setting, so that every policy has something to do. */
const issue = async (url: string, without: readonly string[]): Promise<string> => {
	const missing = [...without, ...without.flatMap((name) => belonging[name] ?? [])];
	const held = Object.entries(settings).flatMap(([policy, setting]) => (missing.includes(policy) ? [] : [setting]));
	const response = await fetch(`${url}/admin/tokens`, {
		method: "POST",
		headers: { authorization: "Bearer admin-token-of-the-benches-0123456789", "content-type": "application/json" },
		body: JSON.stringify(Object.assign({ name: "bench" }, ...held)),
	});
	return asText(asRecord(await response.json())["key"]) ?? "";
};

/** Starts it in a folder of its own, which `stop` removes. */
export const startPortico = async (
	upstream: string,
	{ database, workers = 1, built = false, core, without = [] }: PorticoOptions = {},
): Promise<Started> => {
	const program = built ? await builtProgram() : join(root, "core/main.ts");
	const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
	const config = join(folder, "portico.yaml");
	writeFileSync(
		config,
		JSON.stringify({
			server: { port: 0, logLevel: "info", dataFolder: join(folder, "data") },
			database: { url: database ?? `file:${join(folder, "data/portico.db")}` },
			plugins: pluginsFor(upstream, without),
		}),
	);
	const began = performance.now();
	const words = [program, "serve", "--config", config, "--workers", String(workers)];
	// The call log is on, and would fill whatever the bench is shown on.
	const log = openSync(join(folder, "log"), "w");
	const running = await start(words, {
		cwd: folder,
		log,
		core,
		env: { PORTICO_ADMIN_TOKEN: "admin-token-of-the-benches-0123456789" },
	});
	const first = /(sk-[0-9A-Za-z]{49})/.exec(running.output())?.[1];
	const key = first ?? (await issue(running.url, without));
	await call(running.url, key);
	const answered = firstAnswer(began, running.pid);
	return {
		name: "portico",
		pid: running.pid,
		url: running.url,
		headers: {
			authorization: `Bearer ${await issue(running.url, without)}`,
			...(without.includes("tags") || without.includes("ledger") ? {} : { "x-portico-tags": "app=bench" }),
		},
		...answered,
		async stop() {
			await running.stop();
			closeSync(log);
			rmSync(folder, { recursive: true, force: true });
		},
	};
};
