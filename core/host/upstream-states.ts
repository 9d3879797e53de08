/** How the upstreams are, as the router sees them. */
import { router, type UpstreamHealth, unwellUpstreams } from "../contract/router.ts";
import type { Generation } from "./generation.ts";

const healthOf = (generation: Generation | undefined): readonly UpstreamHealth[] =>
	generation?.given(router)?.health?.() ?? [];

/** How many are in each state; without their names, for anyone may ask. */
export const upstreamStates = (generation: Generation | undefined): Readonly<Record<string, number>> => {
	const counts: Record<string, number> = {};
	for (const { circuit } of healthOf(generation)) counts[circuit] = (counts[circuit] ?? 0) + 1;
	return counts;
};

/** An upstream that is not well, and whether that is known of it now. */
export interface UnwellUpstream extends UpstreamHealth {
	/** False where only some keys rest, and where it failed long ago and no call has tried it since. */
	readonly failing: boolean;
}

/** For so long the last failure tells how an upstream is that nothing has asked since. */
const failureCountsMs = 60 * 60_000;

const isFailing = ({ circuit, keys = [], lastFailure }: UpstreamHealth, now: number): boolean => {
	if (circuit === "open" || (keys.length > 0 && !keys.includes(true))) return true;
	const at = Date.parse(lastFailure?.at ?? "");
	return circuit === "half-open" && !(now - at > failureCountsMs);
};

/** Those that calls are kept away from, or of whose keys one rests; for operators. */
export const notWell = (generation: Generation | undefined, now: number): readonly UnwellUpstream[] =>
	[...healthOf(generation), ...(generation?.all(unwellUpstreams) ?? []).flatMap((unwell) => unwell())]
		.filter(({ circuit, keys = [] }) => circuit !== "closed" || keys.includes(false))
		.map((one) => ({ ...one, failing: isFailing(one, now) }));
