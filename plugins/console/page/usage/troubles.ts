/** The most common way in which calls did not complete. */
import type { Sum } from "./sums.ts";

export interface Trouble {
	readonly ending: string;
	readonly calls: number;
}

const worst = (sums: readonly Sum[]): Trouble | undefined => {
	const calls = new Map<string, number>();
	for (const sum of sums) {
		const ending = sum.of["ending"] ?? "completed";
		if (ending !== "completed") calls.set(ending, (calls.get(ending) ?? 0) + sum.calls);
	}
	const [most] = [...calls].filter(([, amount]) => amount > 0).sort(([, a], [, b]) => b - a);
	return most && { ending: most[0], calls: most[1] };
};

/** Of sums by ending and more: the most common of all, and by the values of one group. */
export const troublesOf = (sums: readonly Sum[]) => ({
	all: worst(sums),
	by(group: string): ReadonlyMap<string, Trouble> {
		const groups = Map.groupBy(sums, ({ of }) => of[group] ?? "");
		return new Map(
			[...groups].flatMap(([value, mine]) => {
				const trouble = worst(mine);
				return trouble ? [[value, trouble] as const] : [];
			}),
		);
	},
});
