/**
 * What memory a running Portico holds: idle, while streams are open, and after them.
 *
 * The figure is the resident memory that the operating system tells. The runtime collects its garbage and gives pages
 * back in its own time, so an idle figure is read once it has been steady: six readings, half a second apart, within one
 * part in a hundred, or after a minute the last.
 */
import { setTimeout as pause } from "node:timers/promises";
import { bodyOf, makeCalls, type Party } from "./drive.ts";
import { memoryBytes } from "./processes.ts";

const readings = 6;
/** Resident memory once it is steady. */
export const steadyBytes = async (pid: number): Promise<number> => {
	const last: number[] = [];
	for (let reading = 0; reading < 120; reading++) {
		last.push(memoryBytes(pid));
		if (last.length > readings) last.shift();
		if (last.length === readings && Math.max(...last) < Math.min(...last) * 1.01) break;
		await pause(500);
	}
	return last.at(-1) ?? 0;
};

export interface Memory {
	/** Bytes, after a warm-up that has made and answered calls of every kind. */
	readonly idle: number;
	readonly open: number;
	readonly after: number;
}

/** `streams` that last some seconds, three times over. */
export const measureMemory = async (party: Party, pid: number, streams: number): Promise<Memory> => {
	const held = { body: bodyOf({ stream: true, user: "slow" }), connections: streams };
	const warm = { body: bodyOf({ stream: true }), connections: 64 };
	await makeCalls(party, warm, 640);
	await makeCalls(party, { body: bodyOf(), connections: streams }, 20_000);
	const idle = await steadyBytes(pid);
	let open = 0;
	let over = false;
	const all = makeCalls(party, held, 3 * streams).finally(() => {
		over = true;
	});
	while (!over) {
		await Promise.race([all, pause(250)]);
		open = Math.max(open, memoryBytes(pid));
	}
	await all;
	return { idle, open, after: await steadyBytes(pid) };
};
