/** What each part costs: the whole, and the whole without one thing or several, all beside the bare relay. */
import { bodyOf, compare, type Pace, warm } from "./drive.ts";
import { type Started, seeing, startPortico } from "./portico.ts";
import type { Row } from "./table.ts";

const policies = ["expiry", "model-list", "ip-whitelist", "rate-limit"];

const rungs: readonly (readonly [what: string, without: readonly string[]])[] = [
	["everything", []],
	["without what operators see", seeing],
	["without budgets", ["budgets"]],
	["without call-log", ["call-log"]],
	["without ledger", ["ledger"]],
	["without quota", ["quota"]],
	["without quota, ledger, call-log", ["quota", "ledger", "call-log"]],
	["without any policy or book", ["quota", "ledger", "call-log", ...policies]],
];

/** A row for each rung, at 64 connections. */
export const ladderRows = async (relay: Started, upstream: string, pace: Pace, warmUp: number): Promise<Row[]> => {
	const rows: Row[] = [];
	for (const [what, without] of rungs) {
		const gateway = await startPortico(upstream, { without });
		try {
			await warm(gateway, warmUp);
			const load = { body: bodyOf(), connections: 64 };
			const { beside, portico, ratio } = await compare([relay, gateway], [load, load], pace);
			rows.push({ what: `ladder: ${what}`, unit: "µs", beside: beside.micros, portico: portico.micros, ratio });
		} finally {
			await gateway.stop();
		}
	}
	return rows;
};
