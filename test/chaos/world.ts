/** One run: nodes, clients, an upstream that counts, a database, and somebody who breaks things. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Counts, overcharge, perToken, wrongAtEnd, wrongNow } from "./checks.ts";
import { Clients } from "./clients.ts";
import { type Books, type ChaosDatabase, fileDatabase, serverDatabase } from "./database.ts";
import { adminToken, ChaosNode } from "./node.ts";
import { type Random, randomFrom } from "./random.ts";
import { startCountingUpstream } from "./upstream.ts";

export interface ChaosOptions {
	readonly folder: string;
	readonly nodes: number;
	readonly seconds: number;
	/** Clients at each node. */
	readonly streams: number;
	readonly seed: number;
	/** How long one node is stopped, when there are several. */
	readonly stopSeconds: number;
	/** The path of the plugin that enforces quotas. */
	readonly quota: string;
}

export interface Report {
	readonly figures: Readonly<Record<string, string | number>>;
	readonly wrong: readonly string[];
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Micro-dollars a client uses in the time between two raises: less than it could, so that the quota is short again and again. */
const portionPerClient = 2_000;
const databaseFaults = 0.1;

class Run {
	/** The first of each kind of wrong, and how often it was seen. */
	private readonly found = new Map<string, { readonly words: string; times: number }>();
	/** The most that clients received beyond what had been promised by then, in micro-dollars. */
	overspent = 0;
	kills = 0;
	stops = 0;
	inFlight = 0;
	limit = 0;
	samples = 0;
	topUps = 0;
	readonly database: ChaosDatabase;
	readonly nodes: ChaosNode[];
	readonly clients: Clients;
	readonly token: string;
	private readonly upstream: ReturnType<typeof startCountingUpstream>;
	private readonly random: Random;
	private readonly portion: number;
	private quota = 0;

	constructor(
		parts: Pick<Run, "database" | "nodes" | "clients" | "token"> & {
			upstream: Run["upstream"];
			random: Random;
			portion: number;
		},
	) {
		this.database = parts.database;
		this.nodes = parts.nodes;
		this.clients = parts.clients;
		this.token = parts.token;
		this.upstream = parts.upstream;
		this.random = parts.random;
		this.portion = parts.portion;
	}

	complain(words: string): void {
		const kind = words.replace(/\d+/g, "n");
		const known = this.found.get(kind);
		if (known) known.times++;
		else this.found.set(kind, { words, times: 1 });
	}

	get wrong(): string[] {
		return [...this.found.values()].map(({ words, times }) =>
			times === 1 ? words : `${words} (and ${times - 1} times more)`,
		);
	}

	get counts(): Counts {
		const { received, left } = this.clients.tally;
		const { sent, boasted } = this.upstream;
		const { kills, inFlight, limit, nodes } = this;
		const refusedBySchema = nodes.reduce((sum, node) => sum + node.refusedBySchema, 0);
		return { sent, boasted, received, left, kills, inFlight, limit, refusedBySchema };
	}

	/** Sets another quota, at whatever node is there to hear it. */
	async setQuota(quota: number): Promise<void> {
		this.limit = Math.max(this.limit, quota);
		for (let attempt = 0; attempt < 50; attempt++) {
			const node = this.nodes.find(({ alive }) => alive);
			const done = await fetch(`${node?.address}/admin/tokens/${this.token}`, {
				method: "PATCH",
				signal: AbortSignal.timeout(3_000),
				headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
				body: JSON.stringify({ quota: quota / 1e6 }),
			}).then(
				(response) => response.ok,
				() => false,
			);
			if (done) {
				this.quota = quota;
				return;
			}
			await pause(100);
		}
		this.complain("no node took a new quota for 5 s");
	}

	async topUp(): Promise<void> {
		this.topUps++;
		// Now and then it is lowered first, below what is used.
		if (this.random() < 0.3) await this.setQuota(Math.max(0, this.quota - this.portion * 2));
		await this.setQuota(this.limit + this.portion);
	}

	async sample(): Promise<void> {
		const books = await this.database.books(this.token);
		if (!books) return;
		this.samples++;
		this.overspent = Math.max(this.overspent, this.clients.tally.received * perToken - this.limit);
		for (const wrong of wrongNow(books, this.counts)) this.complain(wrong);
	}

	async kill(node: ChaosNode): Promise<void> {
		if (node.address === undefined) return;
		this.kills++;
		this.inFlight += this.clients.running.get(node) ?? 0;
		await node.kill();
		await pause(this.random() * 1_500);
		await this.bringUp(node);
	}

	/** A start may fail when the database does; then again. */
	async bringUp(node: ChaosNode): Promise<void> {
		for (let attempt = 0; attempt < 20; attempt++) {
			const served = await node.start().then(
				() => true,
				() => false,
			);
			if (served) return;
			await pause(200);
		}
		this.complain(`a node did not start: ${node.output.slice(-500)}`);
	}

	async halt(node: ChaosNode, milliseconds: number): Promise<void> {
		if (!node.alive) return;
		this.stops++;
		node.halt();
		await pause(milliseconds);
		node.goOn();
	}

	/** Breaks something every second or so until the time is up. */
	async trouble(until: number, stopMs: number): Promise<void> {
		const busy = new Set<ChaosNode>();
		const jobs: Promise<void>[] = [];
		const during = async (node: ChaosNode, work: Promise<void>): Promise<void> => {
			busy.add(node);
			await work;
			busy.delete(node);
		};
		const last = this.nodes.at(-1);
		if (this.nodes.length > 1 && last && stopMs > 0) jobs.push(during(last, this.halt(last, stopMs)));
		while (performance.now() < until) {
			await pause(600 + this.random() * 1_400);
			const idle = this.nodes.filter((node) => !busy.has(node));
			const node = idle[Math.floor(this.random() * idle.length)];
			if (!node || performance.now() > until) continue;
			const work = this.random() < 0.75 ? this.kill(node) : this.halt(node, 500 + this.random() * 2_500);
			jobs.push(during(node, work));
		}
		await Promise.all(jobs);
	}

	/** Calls end, dead nodes come back, what was lost is put right. */
	async drain(): Promise<Books | undefined> {
		this.database.calm();
		for (const node of this.nodes) if (node.address === undefined) await this.bringUp(node);
		await this.clients.stop();
		for (let waited = 0; waited < 40; waited++) {
			// A quota that is set asks every node for what no call holds; by themselves they would keep it for half a minute.
			if (waited % 8 === 0) await this.setQuota(this.quota);
			const books = await this.database.books(this.token);
			if (books && books.leased === 0 && books.recorded === books.used && waited > 8) return books;
			await pause(500);
		}
		return await this.database.books(this.token);
	}
}

const figuresOf = (run: Run, books: Books, seconds: number): Report["figures"] => {
	const { tally } = run.clients;
	const { counts, database } = run;
	return {
		"answered, left by client, failed": `${tally.answered}, ${tally.left}, ${tally.failed}`,
		"refused: held, used up": `${tally.held}, ${tally.usedUp}`,
		"kills, stops, calls in flight at kills": `${run.kills}, ${run.stops}, ${run.inFlight}`,
		"database: requests dropped, replies lost": `${database.dropped}, ${database.lost}`,
		"quota at last, raised so many times": `${run.limit}, ${run.topUps}`,
		"upstream sent (micro-dollars)": counts.sent * perToken,
		"clients received": counts.received * perToken,
		charged: books.used,
		"ledger adds up to": `${books.recorded} in ${books.rows} rows`,
		"still leased": books.leased,
		"overspent at worst": run.overspent,
		"overcharged at kills": overcharge(books, counts),
		"samples, calls a second": `${run.samples}, ${Math.round((tally.answered + tally.left) / seconds)}`,
	};
};

const repeat = async (until: number, everyMs: number, work: () => Promise<void>): Promise<void> => {
	while (performance.now() < until) {
		await pause(everyMs);
		await work();
	}
};

/** Runs it all. `sqld` is needed for several nodes. */
export const runChaos = async (options: ChaosOptions, sqld: string | undefined): Promise<Report> => {
	const { folder, nodes: count, seconds, streams, seed, stopSeconds } = options;
	const random = randomFrom(seed);
	const upstream = startCountingUpstream(random);
	const database = sqld ? await serverDatabase(sqld, folder, random, databaseFaults) : fileDatabase(folder);
	const nodes = Array.from(
		{ length: count },
		(_, index) =>
			new ChaosNode({
				folder: join(folder, `node-${index}`),
				databaseUrl: database.urlFor(index),
				upstreamUrl: upstream.url,
				quota: options.quota,
			}),
	);
	try {
		for (const node of nodes) await startPatiently(node);
		const { id, key } = await issueToken(nodes[0]?.address ?? "");
		const clients = new Clients(key, random);
		const portion = portionPerClient * streams * count;
		const run = new Run({ database, nodes, clients, token: id, upstream, random, portion });
		await run.setQuota(portion);
		for (const node of nodes) clients.start(node, streams);
		const until = performance.now() + seconds * 1000;
		await Promise.all([
			run.trouble(until, Math.min(stopSeconds, seconds * 0.75) * 1000),
			repeat(until, 250, () => run.sample()),
			repeat(until, 3_000, () => run.topUp()),
		]);
		const books = await run.drain();
		if (!books) return { figures: {}, wrong: ["the books could not be read"] };
		for (const wrong of wrongAtEnd(books, run.counts)) run.complain(wrong);
		for (const strange of clients.tally.strange.slice(0, 3)) run.complain(`a strange answer: ${strange}`);
		for (const node of nodes) await node.end();
		const left = leftJournals(folder);
		if (left.length > 0) run.complain(`a stop in order left ${left.length} journals`);
		return { figures: figuresOf(run, books, seconds), wrong: run.wrong };
	} finally {
		for (const node of nodes) await node.kill();
		await upstream.stop();
		await database.stop();
	}
};

const leftJournals = (folder: string): string[] =>
	readdirSync(folder, { recursive: true })
		.map(String)
		.filter((file) => file.endsWith(".journal"));

const startPatiently = async (node: ChaosNode): Promise<void> => {
	for (let attempt = 0; ; attempt++) {
		const error = await node.start().then(
			() => undefined,
			(reason: unknown) => reason,
		);
		if (error === undefined) return;
		if (attempt === 10) throw error;
	}
};

const issueToken = async (address: string): Promise<{ readonly id: string; readonly key: string }> => {
	for (let attempt = 0; ; attempt++) {
		const response = await fetch(`${address}/admin/tokens`, {
			method: "POST",
			headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
			body: JSON.stringify({ name: "chaos", quota: 0 }),
		});
		if (response.ok) return (await response.json()) as { id: string; key: string };
		if (attempt === 20) throw new Error(`no token was issued: ${response.status} ${await response.text()}`);
		await pause(100);
	}
};
