/** The sums of the dearest of a group apart, and those of the others together: there may be many thousands. */
import { invalidParameter } from "#core";
import { regroup } from "./regroup.ts";
import { dearestFirst, type Sum } from "./sums.ts";

const most = 1_000;

/** How many of the first group are wanted apart; undefined for all of them. */
export const topAsked = (url: URL): number | undefined => {
	const text = url.searchParams.get("top");
	if (text === null) return undefined;
	const top = Number(text);
	if (Number.isInteger(top) && top >= 1 && top <= most) return top;
	throw invalidParameter("top", `top must be a whole number from 1 to ${most}.`);
};

export interface Top {
	/** Of the dearest of the first group. */
	readonly sums: readonly Sum[];
	/** Of all others of it, by the further groups alone, and how many these others are. */
	readonly others: readonly Sum[];
	readonly count: number;
}

/** `by`: what the sums are by. The dearest are those that cost most in all, whatever else the sums are by. */
export const topOf = async (
	sums: readonly Sum[],
	[first = "", ...further]: readonly string[],
	top: number,
): Promise<Top> => {
	const values = (await regroup(sums, (of) => ({ [first]: of[first] }))).map(({ of }) => of[first]);
	const apart = new Set(values.slice(0, top));
	const { kept = [], rest = [] } = Object.groupBy(sums, ({ of }) => (apart.has(of[first]) ? "kept" : "rest"));
	const others = await regroup(rest, (of) => Object.fromEntries(further.map((name) => [name, of[name]])));
	return { sums: dearestFirst(kept), others, count: values.length - apart.size };
};
