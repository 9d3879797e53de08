/** One node of Portico as a process that can be killed, stopped and started again in the same folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mostOutput, perToken } from "./checks.ts";

const main = join(import.meta.dir, "../../core/main.ts");
export const adminToken = "admin-token-of-the-chaos-test-0123456789";

interface NodeOptions {
	readonly folder: string;
	readonly databaseUrl: string;
	readonly upstreamUrl: string;
	/** The plugin that enforces quotas: Portico's own, or a naive or a faulty one in its place. */
	readonly quota: string;
}

export class ChaosNode {
	address: string | undefined;
	output = "";
	/** Writes that the schema refused, as the log tells. */
	refusedBySchema = 0;
	private readonly options: NodeOptions;
	private readonly config: string;
	private child: ChildProcess | undefined;
	/** Stopped by a signal, and going on when it is told to. */
	halted = false;

	constructor(options: NodeOptions) {
		this.options = options;
		mkdirSync(options.folder, { recursive: true });
		this.config = join(options.folder, "portico.yaml");
		const plugins = [
			{ use: "tokens" },
			{ use: "chat-completions" },
			{ use: "prices", with: { models: { chaos: { input: 0, output: perToken } } } },
			// As short as may be: a node that is stopped loses its leases.
			{ use: options.quota, as: "quota", with: { leaseSeconds: 10 } },
			{
				use: "router",
				with: {
					upstreams: [{ name: "chaos", protocol: "chat-completions", url: `${options.upstreamUrl}/v1`, key: "k" }],
					models: [
						{ name: "chaos", targets: [{ upstream: "chaos" }], caps: { maxOutput: mostOutput, thinking: "none" } },
					],
				},
			},
			{ use: "ledger" },
			{ use: "people" },
		];
		const config = {
			server: { port: 0, logLevel: "warn", drainSeconds: 5 },
			database: { url: options.databaseUrl },
			plugins,
		};
		writeFileSync(this.config, JSON.stringify(config));
	}

	get alive(): boolean {
		return this.address !== undefined && !this.halted;
	}

	/** Resolves when it serves. */
	start(): Promise<void> {
		this.output = "";
		const child = spawn(process.execPath, [main, "serve", "--config", this.config], {
			cwd: this.options.folder,
			env: { ...process.env, PORTICO_ADMIN_TOKEN: adminToken, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" },
			stdio: ["ignore", "pipe", "pipe"],
		});
		this.child = child;
		return new Promise((resolve, reject) => {
			const hear = (data: unknown): void => {
				const text = String(data);
				this.output = (this.output + text).slice(-20_000);
				this.refusedBySchema += text.split("SQLITE_CONSTRAINT").length - 1;
				const address = /serves at (http:\S+)/.exec(this.output)?.[1];
				if (address === undefined || this.child !== child) return;
				this.address = address;
				resolve();
			};
			child.stdout.on("data", hear);
			child.stderr.on("data", hear);
			child.once("exit", (code, signal) => {
				if (this.child === child) this.address = undefined;
				reject(new Error(`a node ended with ${code ?? signal}:\n${this.output}`));
			});
		});
	}

	kill(): Promise<void> {
		return this.signal("SIGKILL");
	}

	/** Told to stop in order. */
	end(): Promise<void> {
		return this.signal("SIGTERM");
	}

	private signal(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
		const { child } = this;
		this.address = undefined;
		if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
		return new Promise((resolve) => {
			child.once("exit", () => resolve());
			child.kill(signal);
			if (this.halted) child.kill("SIGCONT");
			this.halted = false;
		});
	}

	halt(): void {
		this.halted = this.child?.kill("SIGSTOP") === true;
	}

	goOn(): void {
		this.child?.kill("SIGCONT");
		this.halted = false;
	}
}
