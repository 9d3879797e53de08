/** Clients that spend from one purse, by one token or several, at all nodes at once: they read, they leave, they come back when they are told to. */
import { setTimeout as pause } from "node:timers/promises";
import type { ChaosNode } from "./node.ts";
import type { Random } from "./random.ts";
import { promptOf } from "./upstream.ts";

export interface Tally {
	/** Output tokens that reached clients. */
	received: number;
	answered: number;
	left: number;
	held: number;
	usedUp: number;
	failed: number;
	/** Anything else than a clear answer or refusal. */
	strange: string[];
}

const countWords = (text: string): number => text.split('"content":"tok "').length - 1;

export class Clients {
	readonly tally: Tally = { received: 0, answered: 0, left: 0, held: 0, usedUp: 0, failed: 0, strange: [] };
	/** Calls that are running, by node. */
	readonly running = new Map<ChaosNode, number>();
	private readonly keys: readonly string[];
	private readonly prompt: string;
	private readonly random: Random;
	private readonly jobs: Promise<void>[] = [];
	private stopping = false;

	/** The upstream counts apart what carries this mark. */
	constructor(keys: readonly string[], mark: string, random: Random) {
		this.keys = keys;
		this.prompt = promptOf(mark);
		this.random = random;
	}

	start(node: ChaosNode, streams: number): void {
		for (let index = 0; index < streams; index++) this.jobs.push(this.live(node));
	}

	async stop(): Promise<void> {
		this.stopping = true;
		await Promise.all(this.jobs);
	}

	private async live(node: ChaosNode): Promise<void> {
		while (!this.stopping) {
			const { address } = node;
			if (address === undefined) await pause(50);
			else await this.call(node, address);
		}
	}

	private async call(node: ChaosNode, address: string): Promise<void> {
		const count = (by: number): void => void this.running.set(node, (this.running.get(node) ?? 0) + by);
		count(1);
		try {
			await this.ask(address);
		} catch {
			// The node died, or this client left.
			this.tally.failed++;
			await pause(20);
		} finally {
			count(-1);
		}
	}

	private async ask(address: string): Promise<void> {
		const { random, tally } = this;
		const abort = new AbortController();
		const leavesAfter = random() < 0.15 ? Math.floor(random() * 60) : Number.POSITIVE_INFINITY;
		const limit = random() < 0.2 ? {} : { max_tokens: 20 + Math.floor(random() * 180) };
		const key = this.keys[Math.floor(random() * this.keys.length)] ?? "";
		const response = await fetch(`${address}/v1/chat/completions`, {
			method: "POST",
			signal: AbortSignal.any([abort.signal, AbortSignal.timeout(60_000)]),
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({
				model: "chaos",
				stream: true,
				messages: [{ role: "user", content: this.prompt }],
				...limit,
			}),
		});
		if (response.status !== 200) return await this.refused(response);
		const decoder = new TextDecoder();
		let read = 0;
		for await (const piece of response.body ?? []) {
			const words = countWords(decoder.decode(piece, { stream: true }));
			read += words;
			tally.received += words;
			if (read < leavesAfter) continue;
			tally.left++;
			abort.abort();
			return;
		}
		tally.answered++;
	}

	private async refused(response: Response): Promise<void> {
		const { tally } = this;
		const text = await response.text();
		if (response.status === 429 && response.headers.get("retry-after") === "1") tally.held++;
		else if (response.status === 429 && response.headers.get("x-should-retry") === "false") tally.usedUp++;
		else if (response.status >= 500) tally.failed++;
		else tally.strange.push(`${response.status} ${text.slice(0, 200)}`);
		await pause(50 + this.random() * 150);
	}
}
