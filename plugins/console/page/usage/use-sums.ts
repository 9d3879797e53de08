/** What the page asks the ledger of a period. */
import { call, query, type Refusal } from "../data/call.ts";
import type { Wire } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { browserZone } from "./periods.ts";
import { type Sum, sumsIn, type TopSums, topSumsIn } from "./sums.ts";

export interface PeriodSums {
	/** By time, model and upstream. */
	readonly sums: readonly Sum[];
	/** By token and ending. */
	readonly ofTokens: TopSums;
	/** By person and ending; for admins. */
	readonly ofPersons: TopSums;
	/** By model, upstream and ending. */
	readonly endings: readonly Sum[];
	/** By time and ending. */
	readonly endingsInTime: readonly Sum[];
	/** By model, with how long calls took. */
	readonly times: readonly Sum[];
	readonly data: Wire | undefined;
	readonly failure: Refusal | undefined;
	/** By all of these at once: as many as there are tokens times models, so only where somebody wants it. */
	all(): Promise<readonly Sum[]>;
}

/** Sums over months change slowly. */
const everyMs = 30_000;
/** They only say which calls are worth a look. */
const endingsEveryMs = 120_000;

/** A table of thousands takes a browser seconds, a server too, and nobody reads it. */
const top = 100;

/** Several questions, each of which makes few sums however many tokens there are. */
export const usePeriodSums = (from: string, by: string): PeriodSums => {
	const sumsBy = (groups: string, more: { percentiles?: string; top?: number } = {}): string =>
		`/admin/usage${query({ by: groups, from, zone: browserZone(), percentiles: "false", ...more })}`;
	const { data, failure } = useAnswer(sumsBy(`${by},model,upstream`), everyMs);
	const ofTokens = useAnswer(sumsBy("token,ending", { top }), everyMs).data;
	const ofPersons = useAnswer(isAdmin() ? sumsBy("owner,ending", { top }) : undefined, everyMs).data;
	const endings = useAnswer(sumsBy("model,upstream,ending"), endingsEveryMs).data;
	const endingsInTime = useAnswer(sumsBy(`${by},ending`), endingsEveryMs).data;
	const times = useAnswer(sumsBy("model", { percentiles: "true" }), everyMs).data;
	return {
		sums: sumsIn(data),
		ofTokens: topSumsIn(ofTokens),
		ofPersons: topSumsIn(ofPersons),
		endings: sumsIn(endings),
		endingsInTime: sumsIn(endingsInTime),
		times: sumsIn(times),
		data,
		failure,
		all: async () => sumsIn(await call("GET", sumsBy(`${by},token,${isAdmin() ? "owner," : ""}model,upstream`))),
	};
};
