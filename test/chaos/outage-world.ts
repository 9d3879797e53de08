/** Three nodes as processes on one `sqld`, an upstream that counts what it delivered to whom, and a receiver of callbacks. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { asRecord, asText, type WireRecord } from "#core";
import { type PorticoProcess, startProcess } from "../support/process.ts";
import type { Sqld } from "../support/sqld.ts";

const adminToken = "admin-token-of-the-outage-test-0123456789";
/** What every call costs: 10 tokens of input at 1 and 10 of output at 10 micro-dollars. */
export const costOfCall = 110;

/** Delivered answers by the token that the words name. */
const startUpstream = () => {
	const delivered = new Map<string, number>();
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const name = /for ([a-z]+)/.exec(await request.text())?.[1] ?? "";
			await new Promise((resolve) => setTimeout(resolve, 20));
			delivered.set(name, (delivered.get(name) ?? 0) + 1);
			return Response.json({
				id: "c",
				object: "chat.completion",
				created: 1,
				model: "m",
				choices: [{ index: 0, message: { role: "assistant", content: "well" }, finish_reason: "stop" }],
				usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
			});
		},
	});
	return { url: `http://127.0.0.1:${server.port}/v1`, delivered, stop: () => server.stop(true) };
};

/** Statuses by task, each callback once. */
const startReceiver = async () => {
	const statuses = new Map<string, string[]>();
	const seen = new Set<string>();
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const piece of request) text += String(piece);
		response.writeHead(200).end();
		const id = String(request.headers["webhook-id"]);
		if (seen.has(id)) return;
		seen.add(id);
		const { id: task, status } = asRecord(JSON.parse(text));
		const name = asText(task) ?? "";
		statuses.set(name, [...(statuses.get(name) ?? []), asText(status) ?? ""]);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	const stop = (): Promise<void> =>
		new Promise((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	return { url: `http://127.0.0.1:${port}/hook`, statuses, stop };
};

const configOf = (database: string, upstream: string, taskSeconds: number): object => ({
	server: { port: 0, logLevel: "warn", drainSeconds: 10 },
	database: { url: database },
	plugins: [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "prices", with: { models: { m: { input: 1, output: 10 } } } },
		{ use: "quota" },
		{ use: "ledger" },
		{ use: "webhooks", with: { allowPrivateNetworks: true } },
		{ use: "tasks" },
		{ use: "image" },
		{ use: "demo", with: { taskSeconds } },
		{
			use: "router",
			with: {
				upstreams: [{ name: "up", protocol: "chat-completions", url: upstream, key: "k" }],
				models: [{ name: "m", targets: [{ upstream: "up" }] }],
			},
		},
	],
});

export class OutageWorld {
	readonly sqld: Sqld;
	readonly nodes: readonly PorticoProcess[];
	readonly delivered: ReadonlyMap<string, number>;
	/** What the receiver was told of each task, in the order in which it came. */
	readonly callbacks: ReadonlyMap<string, readonly string[]>;
	readonly hook: string;
	private readonly ends: (() => unknown)[];

	private constructor(
		parts: Omit<OutageWorld, "admin" | "submit" | "ready" | "close" | "addresses">,
		ends: (() => unknown)[],
	) {
		this.sqld = parts.sqld;
		this.nodes = parts.nodes;
		this.delivered = parts.delivered;
		this.callbacks = parts.callbacks;
		this.hook = parts.hook;
		this.ends = ends;
	}

	static async start(sqld: Sqld, folder: string, taskSeconds: number): Promise<OutageWorld> {
		const upstream = startUpstream();
		const receiver = await startReceiver();
		const nodes: PorticoProcess[] = [];
		for (const name of ["one", "two", "three"]) {
			const home = join(folder, name);
			mkdirSync(home);
			writeFileSync(join(home, "portico.yaml"), JSON.stringify(configOf(sqld.url, upstream.url, taskSeconds)));
			nodes.push(await startProcess(home, "portico.yaml", { PORTICO_ADMIN_TOKEN: adminToken }));
		}
		const ends = [() => upstream.stop(), () => receiver.stop(), () => sqld.close()];
		const { delivered } = upstream;
		return new OutageWorld({ sqld, nodes, delivered, callbacks: receiver.statuses, hook: receiver.url }, ends);
	}

	get addresses(): readonly string[] {
		return this.nodes.map(({ address }) => address);
	}

	async admin(method: string, path: string, body?: object): Promise<WireRecord> {
		const response = await fetch(`${this.addresses[0]}${path}`, {
			method,
			headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
		return asRecord(await response.json());
	}

	/** A task with a callback. */
	submit(node: number, key: string): Promise<Response> {
		return fetch(`${this.addresses[node]}/v1/tasks`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({ kind: "image", prompt: "a lighthouse", model: "demo", notifyHook: this.hook }),
		});
	}

	/** What each node says of itself: `/healthz`, `/acceptz`, and `/readyz` with its reason. */
	ready(): Promise<readonly string[]> {
		return Promise.all(
			this.addresses.map(async (address) => {
				const [alive, accepts, ready] = await Promise.all(
					["/healthz", "/acceptz", "/readyz"].map((path) => fetch(address + path)),
				);
				if (!alive || !accepts || !ready) throw new Error("three were asked");
				const { reason } = asRecord(await ready.json());
				return `${alive.status} ${accepts.status} ${ready.status} ${asText(reason) ?? ""}`.trim();
			}),
		);
	}

	/** Everything but the nodes. */
	async close(): Promise<void> {
		for (const end of this.ends) await end();
	}
}
