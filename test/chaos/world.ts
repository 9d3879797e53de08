/** One run: nodes, clients, an upstream that counts, a database, and somebody who breaks things. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Counts } from "./checks.ts";
import { Clients } from "./clients.ts";
import { type Books, type ChaosDatabase, fileDatabase, serverDatabase } from "./database.ts";
import { figuresOf } from "./figures.ts";
import { ChaosNode } from "./node.ts";
import { Purse } from "./purse.ts";
import { type Random, randomFrom } from "./random.ts";
import { issueToken, joinPerson, type Spender } from "./spenders.ts";
import { startCountingUpstream } from "./upstream.ts";

interface ChaosOptions {
	readonly folder: string;
	readonly nodes: number;
	readonly seconds: number;
	/** Clients of the token at each node; of each person a quarter as many. */
	readonly streams: number;
	/** Whether two persons with ceilings spend beside the token. */
	readonly persons: boolean;
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

/** Micro-dollars a client uses in the time between two raises: less than it could, so that the quota is short again and again. */
const portionPerClient = 2_000;
const databaseFaults = 0.1;

/** Persons with one ceiling each, and the tokens of each. */
const persons = ["first person", "second person"] as const;
const tokensOfPerson = 5;

export class Run {
	/** The first of each kind of wrong, and how often it was seen. */
	private readonly found = new Map<string, { readonly words: string; times: number }>();
	kills = 0;
	stops = 0;
	samples = 0;
	readonly database: ChaosDatabase;
	readonly nodes: ChaosNode[];
	readonly purses: readonly Purse[];
	private readonly random: Random;

	constructor(parts: Pick<Run, "database" | "nodes" | "purses"> & { random: Random }) {
		this.database = parts.database;
		this.nodes = parts.nodes;
		this.purses = parts.purses;
		this.random = parts.random;
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

	countsOf(purse: Purse): Counts {
		return purse.counts(
			this.kills,
			this.nodes.reduce((sum, node) => sum + node.refusedBySchema, 0),
		);
	}

	async topUp(): Promise<void> {
		for (const purse of this.purses)
			if (!(await purse.topUp(this.nodes))) this.complain("no node took a new amount for 20 s");
	}

	async sample(): Promise<void> {
		for (const purse of this.purses) {
			const books = await this.agreedBooks(purse);
			if (!books) continue;
			this.samples++;
			for (const wrong of purse.wrong("now", books, this.countsOf(purse))) this.complain(wrong);
		}
	}

	/**
	 * Books whose rows and charges agree, or still do not after five seconds. A node that was stopped in the middle of a
	 * write for longer than its lease lasts tries it again: its rows stand beside the correction of the lost lease until
	 * the answer tells it so.
	 */
	private async agreedBooks({ parts }: Purse): Promise<Books | undefined> {
		for (let looked = 0; ; looked++) {
			const books = await this.database.books(parts);
			if (!books || books.recorded === books.used || parts.tokens.length > 1 || looked === 10) return books;
			await pause(500);
		}
	}

	async kill(node: ChaosNode): Promise<void> {
		if (node.address === undefined) return;
		this.kills++;
		for (const purse of this.purses) purse.inFlight += purse.parts.clients.running.get(node) ?? 0;
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

	/** Calls end, dead nodes come back, what was lost is put right. Gives the books of each purse, once they agree. */
	async drain(): Promise<readonly (Books | undefined)[]> {
		this.database.calm();
		for (const node of this.nodes) if (node.address === undefined) await this.bringUp(node);
		await Promise.all(this.purses.map(({ parts }) => parts.clients.stop()));
		for (let waited = 0; ; waited++) {
			// An amount that is set asks every node for what no call holds; by themselves they would keep it for half a minute.
			if (waited % 8 === 0) for (const purse of this.purses) await purse.setAgain(this.nodes);
			const all = await Promise.all(this.purses.map(({ parts }) => this.database.books(parts)));
			const agree = all.every((books) => books && books.leased === 0 && books.recorded === books.used);
			if (waited === 40 || (agree && waited > 8)) return all;
			await pause(500);
		}
	}

	/** Says what is wrong when nothing runs any more. */
	judge(all: readonly (Books | undefined)[]): void {
		for (const [index, purse] of this.purses.entries()) {
			const books = all[index];
			if (!books) this.complain(`${purse.parts.name}: the books could not be read`);
			else for (const wrong of purse.wrong("at the end", books, this.countsOf(purse))) this.complain(wrong);
			const { strange } = purse.parts.clients.tally;
			for (const one of strange.slice(0, 3)) this.complain(`a strange answer: ${one}`);
		}
	}
}

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
		const address = nodes[0]?.address ?? "";
		const purseOf = (name: string, { keys, ...spender }: Spender, many: number): Purse => {
			const mark = name.replaceAll(" ", "_");
			const clients = new Clients(keys, mark, random);
			for (const node of nodes) clients.start(node, many);
			const portion = portionPerClient * many * count;
			return new Purse({ ...spender, name, clients, random, portion, counted: upstream.counted(mark) });
		};
		const one = await issueToken(address);
		const others = options.persons ? persons : [];
		const joined = await Promise.all(others.map((name) => joinPerson(address, name, tokensOfPerson)));
		const fewer = Math.ceil(streams / 4);
		const purses = [
			purseOf("token", one, streams),
			...joined.map((person, index) => purseOf(persons[index] ?? "", person, fewer)),
		];
		const run = new Run({ database, nodes, purses, random });
		await run.topUp();
		const until = performance.now() + seconds * 1000;
		await Promise.all([
			run.trouble(until, Math.min(stopSeconds, seconds * 0.75) * 1000),
			repeat(until, 250, () => run.sample()),
			repeat(until, 3_000, () => run.topUp()),
		]);
		const all = await run.drain();
		run.judge(all);
		for (const node of nodes) await node.end();
		const left = leftJournals(folder);
		if (left.length > 0) run.complain(`a stop in order left ${left.length} journals`);
		return { figures: figuresOf(run, all, seconds), wrong: run.wrong };
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
