/** What was charged in as many hours or days before a period: whoever looks for what a bill grew by sees it beside the sums. */
import { query } from "../data/call.ts";
import { isAdmin } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { browserZone, type Period, spanBefore } from "./periods.ts";
import { sumsIn, topSumsIn, total } from "./sums.ts";

export interface Before {
	/** Dollars. */
	readonly all: number;
	/** For one of a group; undefined where the server was not asked for so many. */
	charged(by: string, value: string): number | undefined;
}

/** As many as the page shows now. */
const top = 100;

/**
 * Undefined while nobody knows, and where nothing was charged then. Nor is a time in which the ledger began compared with a
 * whole one: everything would have grown. What is over is asked once.
 */
export const useBefore = (period: Period, now: number): Before | undefined => {
	const [from, to] = spanBefore(period, now);
	const path = (by: string, most?: number, times = { from, to }): string => {
		const [begin, end] = [times.from, times.to].map((at) => new Date(at).toISOString());
		const asked = { by, from: begin, to: end, zone: browserZone(), percentiles: "false", top: most };
		return `/admin/usage${query(asked)}`;
	};
	const older = useAnswer(path("ending", undefined, { from: from - (to - from), to: from }), false).data;
	const models = useAnswer(path("model,upstream"), false).data;
	const tokens = useAnswer(path("token", top), false).data;
	const persons = useAnswer(isAdmin() ? path("owner", top) : undefined, false).data;
	const ofModels = sumsIn(models);
	const all = total(ofModels, "cost");
	if (all === 0 || total(sumsIn(older), "cost") === 0) return undefined;
	return {
		all,
		charged(by, value) {
			const asked = by === "token" ? tokens : by === "owner" ? persons : models;
			if (!asked) return undefined;
			const { sums, count } = asked === models ? { sums: ofModels, count: 0 } : topSumsIn(asked);
			const found = sums.filter(({ of }) => (of[by] ?? "") === value);
			return found.length === 0 && count > 0 ? undefined : total(found, "cost");
		},
	};
};
