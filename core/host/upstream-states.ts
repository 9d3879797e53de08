/** How the upstreams are, as the router sees them. */
import { router, type UpstreamHealth } from "../contract/router.ts";
import type { Generation } from "./generation.ts";

const healthOf = (generation: Generation | undefined): readonly UpstreamHealth[] =>
	generation?.given(router)?.health?.() ?? [];

/** How many are in each state; without their names, for anyone may ask. */
export const upstreamStates = (generation: Generation | undefined): Readonly<Record<string, number>> => {
	const counts: Record<string, number> = {};
	for (const { circuit } of healthOf(generation)) counts[circuit] = (counts[circuit] ?? 0) + 1;
	return counts;
};

/** Those that calls are kept away from, or of whose keys one rests; for operators. */
export const notWell = (generation: Generation | undefined): readonly UpstreamHealth[] =>
	healthOf(generation).filter(({ circuit, keys = [] }) => circuit !== "closed" || keys.includes(false));
