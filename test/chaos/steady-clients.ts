/** Honest clients that call at a steady pace, whatever becomes of their calls, and keep what they were told. */
import { setTimeout as pause } from "node:timers/promises";

export interface Told {
	readonly token: string;
	readonly node: number;
	/** When it was asked, of `performance.now()`, and how long the answer took; milliseconds. */
	readonly at: number;
	readonly tookMs: number;
	/** 0 where the connection broke. */
	readonly status: number;
	readonly retryAfter: string | null;
	readonly words: string;
}

interface SteadyToken {
	readonly name: string;
	readonly key: string;
	/** Between two calls at each node. */
	readonly everyMs: number;
}

/** One call; the upstream knows the token by the words. */
export const askOnce = async (address: string, node: number, name: string, key: string): Promise<Told> => {
	const at = performance.now();
	const told = (status: number, retryAfter: string | null, words: string): Told => ({
		token: name,
		node,
		at,
		tookMs: performance.now() - at,
		status,
		retryAfter,
		words,
	});
	try {
		const response = await fetch(`${address}/v1/chat/completions`, {
			method: "POST",
			signal: AbortSignal.timeout(30_000),
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({ model: "m", max_tokens: 20, messages: [{ role: "user", content: `for ${name}` }] }),
		});
		return told(response.status, response.headers.get("retry-after"), await response.text());
	} catch (error) {
		return told(0, null, String(error));
	}
};

export class SteadyClients {
	readonly told: Told[] = [];
	private readonly addresses: readonly string[];
	private readonly jobs: Promise<void>[] = [];
	private stopping = false;

	constructor(addresses: readonly string[]) {
		this.addresses = addresses;
	}

	/** A client of this token at every node. */
	start({ name, key, everyMs }: SteadyToken): void {
		for (const [node, address] of this.addresses.entries())
			this.jobs.push(
				this.repeat(everyMs, async () => void this.told.push(await askOnce(address, node, name, key)), node),
			);
	}

	async stop(): Promise<void> {
		this.stopping = true;
		await Promise.all(this.jobs);
	}

	/** At its times, not after each other: a slow answer makes no pause. */
	private async repeat(everyMs: number, ask: () => Promise<void>, node: number): Promise<void> {
		const running = new Set<Promise<void>>();
		await pause((everyMs * node) / this.addresses.length);
		while (!this.stopping) {
			const call = ask().finally(() => running.delete(call));
			running.add(call);
			await pause(everyMs);
		}
		await Promise.all(running);
	}
}
