/** The Portico process of a soak, and what the system and its own heap say of it. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asCount, asRecord, asText, type WireRecord } from "#core";
import { protocols } from "./answers.ts";

const root = join(import.meta.dir, "../..");
const adminToken = "admin-token-of-the-soak-test-0123456789";

/** A program with its address: the first port that it prints. */
export interface Program {
	readonly url: string;
	readonly pid: number;
	/** Asks it to end; resolves with its exit code. */
	stop(): Promise<number | null>;
}

/** Starts a program on Bun; resolves when it has printed where it listens. */
export const startProgram = (words: readonly string[], cwd: string): Promise<Program> =>
	new Promise((resolve, reject) => {
		const child = spawn(process.execPath, words, {
			cwd,
			env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336", PORTICO_ADMIN_TOKEN: adminToken },
			stdio: ["ignore", "pipe", "inherit"],
		});
		let output = "";
		const ended = new Promise<number | null>((over) => child.once("exit", over));
		process.once("exit", () => child.kill());
		child.stdout.on("data", (data) => {
			output += String(data);
			const port = /(?:listening |127\.0\.0\.1:)(\d+)/.exec(output)?.[1];
			if (port === undefined) return;
			const stop = (): Promise<number | null> => {
				child.kill("SIGTERM");
				return ended;
			};
			resolve({ url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop });
		});
		child.once("exit", (code) => reject(new Error(`${words.join(" ")} ended with ${code}`)));
	});

export interface Reading {
	readonly residentMegabytes: number;
	readonly heapMegabytes: number;
	readonly descriptors: number;
	readonly sockets: number;
}

interface SoakGateway extends Program {
	/** Keys of tokens with a quota that is never used up. */
	readonly keys: readonly string[];
	/** The key of a token whose quota is too small for any call. */
	readonly poorKey: string;
	/** `collect`: after a full collection, which the figures that promises are about never are. */
	read(collect?: boolean): Promise<Reading>;
}

/** One model for each protocol of an upstream, and one whose first target is not there. */
const configOf = (upstream: string): object => ({
	server: { port: 0, logLevel: "error", idleSeconds: 3, keepAliveSeconds: 1 },
	database: { url: "file:portico.db" },
	plugins: [
		...["tokens", "expiry", "model-list", "ip-whitelist", "quota", "rate-limit", "ledger"].map((use) => ({ use })),
		...protocols.map((use) => ({ use })),
		{ use: "prices", with: { models: { m: { input: 1, output: 10 } } } },
		{
			use: "router",
			with: {
				upstreams: [
					...protocols.map((protocol) => ({
						name: protocol,
						protocol,
						url: `${upstream}/${protocol === "generate-content" ? "v1beta" : "v1"}`,
						key: "sk-soak",
					})),
					{ name: "gone", protocol: "chat-completions", url: "http://127.0.0.1:1/v1", key: "sk-soak" },
				],
				models: [
					...protocols.map((upstream) => ({ name: upstream, targets: [{ upstream, model: "m" }] })),
					{
						name: "followed",
						targets: [
							{ upstream: "gone", model: "m" },
							{ upstream: "chat-completions", model: "m" },
						],
					},
				].map((model) => ({ ...model, caps: { maxOutput: 500 } })),
			},
		},
		{ use: "webhooks", with: { allowPrivateNetworks: true } },
		{ use: "tasks" },
		{ use: "image" },
		{ use: "demo", with: { taskSeconds: 1 } },
		{ use: join(import.meta.dir, "memory-route.ts") },
	],
});

const descriptorsOf = (pid: number): { descriptors: number; sockets: number } => {
	const folder = `/proc/${pid}/fd`;
	const names = readdirSync(folder);
	const targets = names.map((name) => {
		try {
			return readlinkSync(join(folder, name));
		} catch {
			// Closed since it was listed.
			return "";
		}
	});
	return {
		descriptors: targets.filter((target) => target !== "").length,
		sockets: targets.filter((target) => target.startsWith("socket:")).length,
	};
};

const residentOf = (pid: number): number =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Starts it in a folder of its own, with tokens to call by. */
export const startSoakGateway = async (folder: string, upstream: string): Promise<SoakGateway> => {
	const file = join(folder, "portico.yaml");
	writeFileSync(file, JSON.stringify(configOf(upstream)));
	const program = await startProgram([join(root, "core/main.ts"), "serve", "--config", file], folder);
	const admin = async (path: string, body?: object): Promise<WireRecord> => {
		const response = await fetch(program.url + path, {
			method: body ? "POST" : "GET",
			headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
		return asRecord(await response.json());
	};
	const issue = async (name: string, quota: number): Promise<string> => {
		const { key } = await admin("/admin/tokens", { name, quota, ips: ["127.0.0.0/8"] });
		return asText(key) ?? "";
	};
	const keys = await Promise.all(Array.from({ length: 10 }, (_, index) => issue(`soak ${index}`, 1000)));
	const poorKey = await issue("poor", 0.000001);
	return {
		...program,
		keys,
		poorKey,
		async read(collect = false) {
			const { heapBytes } = await admin(`/admin/memory${collect ? "?collect=1" : ""}`);
			return {
				residentMegabytes: residentOf(program.pid),
				heapMegabytes: (asCount(heapBytes) ?? Number.NaN) / 1024 ** 2,
				...descriptorsOf(program.pid),
			};
		},
	};
};
