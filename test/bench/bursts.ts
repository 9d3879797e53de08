/** What comes all at once: streams that open together, and large calls that are held together. And a process that rests. */
import { setTimeout as pause } from "node:timers/promises";
import { bodyOf, chatPath, makeCalls, type Party } from "./drive.ts";
import { steadyBytes } from "./memory.ts";
import { type Started, startPortico, startRelay } from "./portico.ts";
import { memoryBytes } from "./processes.ts";
import type { Pair } from "./rows.ts";
import type { Row } from "./table.ts";

const middle = (times: readonly number[]): number =>
	times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

const openedAtOnce = 500;

/** Milliseconds to the first byte of a stream's body, the middle of all that are opened in one go. */
const firstByteMs = async (party: Party): Promise<number> => {
	const body = bodyOf({ stream: true, user: "paced", stream_options: { include_usage: true } });
	const headers = { "content-type": "application/json", ...party.headers };
	const began = performance.now();
	const one = async (): Promise<number> => {
		const response = await fetch(party.url + chatPath, { method: "POST", headers, body });
		const reader = response.body?.getReader();
		await reader?.read();
		const took = performance.now() - began;
		if (response.status !== 200) throw new Error(`${party.name} answered ${response.status}`);
		for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
		return took;
	};
	return middle(await Promise.all(Array.from({ length: openedAtOnce }, one)));
};

/** The middle of three bursts for each of the two. */
export const openingRows = async ([beside, portico]: Pair): Promise<Row[]> => {
	const took: [number[], number[]] = [[], []];
	for (let round = 0; round < 3; round++) {
		took[0].push(await firstByteMs(beside));
		took[1].push(await firstByteMs(portico));
	}
	return [
		{
			what: `first byte of ${openedAtOnce} streams opened at once, p50`,
			unit: "ms",
			beside: middle(took[0]),
			portico: middle(took[1]),
			by: "figure",
			most: 60,
		},
	];
};

const heldAtOnce = 1_500;
const heldBytes = 150_000;
const backMs = 8_000;

interface Held {
	/** Bytes above what the process had before, at the most and when it had `backMs` to give them back. */
	readonly most: number;
	readonly after: number;
}

const hold = async ({ pid, ...party }: Started): Promise<Held> => {
	const body = bodyOf({ user: "held", messages: [{ role: "user", content: "word ".repeat(heldBytes / 5) }] });
	const before = await steadyBytes(pid);
	let most = 0;
	let over = false;
	const all = makeCalls({ pid, ...party }, { body, connections: heldAtOnce }, heldAtOnce).finally(() => {
		over = true;
	});
	while (!over) {
		most = Math.max(most, memoryBytes(pid));
		await Promise.race([all, pause(100)]);
	}
	await all;
	await pause(backMs);
	return { most: most - before, after: memoryBytes(pid) - before };
};

/** Calls of 150 KB that all wait for their upstream together, in a fresh process each. `beside` is the payload. */
export const heldRows = async (upstream: string): Promise<Row[]> => {
	const gateway = await startPortico(upstream);
	try {
		await makeCalls(gateway, { body: bodyOf(), connections: 64 }, 5_000);
		const { most, after } = await hold(gateway);
		const payload = (heldAtOnce * heldBytes) / 1e6;
		const what = "1,500 held calls of 150 KB";
		return [
			{ what: `${what}: payload, and memory above idle`, unit: "MB", beside: payload, portico: most / 1e6, most: 2 },
			{ what: `${what}: the same 8 s after`, unit: "MB", beside: payload, portico: after / 1e6, most: 0.2 },
		];
	} finally {
		await gateway.stop();
	}
};

/** Resident memory of processes that have answered one call; of Portico as packages have it. */
export const idleRows = async (upstream: string): Promise<Row[]> => {
	const [relay, gateway] = [await startRelay(upstream), await startPortico(upstream, { built: true })];
	try {
		const figures = [await steadyBytes(relay.pid), await steadyBytes(gateway.pid)].map((bytes) => bytes / 1e6);
		const [beside, portico = Number.NaN] = figures;
		return [{ what: "memory of a fresh idle process", unit: "MB", beside, portico, by: "figure", most: 80 }];
	} finally {
		await relay.stop();
		await gateway.stop();
	}
};
