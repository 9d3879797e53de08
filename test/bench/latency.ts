/** How long a call takes, where the machine is not at its limit: one call at a time, and at a steady rate. */
import { bodyOf, chatPath, type Party } from "./drive.ts";

interface Latency {
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
}

const body = bodyOf();

const timed = async (party: Party): Promise<number> => {
	const began = performance.now();
	const headers = { "content-type": "application/json", ...party.headers };
	const response = await fetch(party.url + chatPath, { method: "POST", headers, body });
	await response.arrayBuffer();
	if (response.status !== 200) throw new Error(`${party.name} answered ${response.status}`);
	return performance.now() - began;
};

const summary = (times: number[]): Latency => {
	times.sort((a, b) => a - b);
	const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
	return { p50: at(0.5), p99: at(0.99) };
};

/** The parties take turns call by call. */
export const oneAtATime = async (parties: readonly [Party, Party], calls: number): Promise<[Latency, Latency]> => {
	const times: [number[], number[]] = [[], []];
	for (let index = 0; index < calls + 200; index++)
		for (const which of [0, 1] as const) {
			const took = await timed(parties[which]);
			// The first are a warm-up.
			if (index >= 200) times[which].push(took);
		}
	return [summary(times[0]), summary(times[1])];
};

/** So many calls a second, whether or not earlier ones have been answered. */
const atRate = async (party: Party, perSecond: number, seconds: number): Promise<number[]> => {
	const calls: Promise<number>[] = [];
	const began = performance.now();
	while (performance.now() - began < seconds * 1000) {
		const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
		while (calls.length < due) calls.push(timed(party));
		await new Promise((resolve) => setTimeout(resolve, 1));
	}
	return Promise.all(calls);
};

/** The parties take turns second by second. */
export const atSteadyRate = async (
	parties: readonly [Party, Party],
	perSecond: number,
	seconds: number,
): Promise<[Latency, Latency]> => {
	const times: [number[], number[]] = [[], []];
	for (let second = 0; second < seconds; second++)
		for (const which of [0, 1] as const) times[which].push(...(await atRate(parties[which], perSecond, 1)));
	return [summary(times[0]), summary(times[1])];
};
