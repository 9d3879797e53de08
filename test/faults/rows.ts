/** Runs one upstream's fault in every way of asking. */
import type { UpstreamFault } from "./upstream-faults.ts";
import { quota, type World, ways } from "./world.ts";

export interface Seen {
	/** What each way of asking saw. */
	readonly seen: string;
	/** What was not as promised. */
	readonly complaints: readonly string[];
}

export const runUpstreamFault = async (world: World, fault: UpstreamFault): Promise<Seen> => {
	const complaints: string[] = [];
	const seen: string[] = [];
	const token = await world.gateway.token({ quota });
	await world.begin();
	// All ways at once: a fault of time is then waited for once.
	world.act(fault.act);
	const results = await Promise.all(ways.map((way) => world.ask(way, token.key, fault.model)));
	for (const [index, way] of ways.entries()) {
		const result = results[index] ?? "";
		seen.push(`${way}: ${result}`);
		const expected = fault.expected instanceof RegExp ? fault.expected : fault.expected[way];
		if (expected && !expected.test(result)) complaints.push(`${way}: promised ${fault.promised}, seen ${result}`);
	}
	complaints.push(...(await world.broken(token)));
	if (fault.charged) {
		const { used } = await world.gateway.admin("GET", `/admin/tokens/${token.id}`);
		if (!fault.charged(Number(used))) complaints.push(`charged ${used}`);
	}
	return { seen: seen.join(", "), complaints };
};
