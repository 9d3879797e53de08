/** The figures of a period above everything else. */
import { notCompleted } from "../calls/call-record.ts";
import { count, dollars, share, short } from "../data/format.ts";
import { Figures } from "./figures.tsx";
import { type Sum, total } from "./sums.ts";
import { TroubleLink } from "./trouble-link.tsx";
import { troublesOf } from "./troubles.ts";

interface PeriodFiguresProps {
	readonly sums: readonly Sum[];
	/** By ending too. */
	readonly endings: readonly Sum[];
	/** How many hours or days the period has. */
	readonly steps: number;
	readonly unit: string;
	readonly from: string;
	/** What was charged before, where something was. */
	readonly before: number | undefined;
}

export const PeriodFigures = ({ sums, endings, steps, unit, from, before }: PeriodFiguresProps) => {
	const [calls, cost] = [total(sums, "calls"), total(sums, "cost")];
	const [input, cached, saved] = [total(sums, "inputTokens"), total(sums, "cachedTokens"), total(sums, "saved")];
	const [worst, others] = [troublesOf(endings).all, calls - total(sums, "completed")];
	// Of several ways to go wrong the most common is less than all.
	const trouble = worst && worst.calls < others ? { ending: notCompleted, calls: others } : worst;
	return (
		<Figures
			figures={[
				{
					name: "Charged",
					value: dollars(cost),
					note: `${dollars(cost / steps)} ${unit}${before === undefined ? "" : `, before ${dollars(before / steps)}`}`,
				},
				{ name: "Calls", value: count(calls), note: `${count(Math.round(calls / steps))} ${unit}` },
				{
					name: "Completed",
					value: share(total(sums, "completed"), calls),
					note: trouble ? <TroubleLink trouble={trouble} kept={{ from }} /> : "of all calls",
				},
				{
					name: "Model tokens",
					value: short(input + total(sums, "outputTokens")),
					note: `${short(input)} in, ${short(total(sums, "outputTokens"))} out`,
				},
				{
					name: "Read from caches",
					value: share(cached, input),
					note: saved > 0 ? `saved about ${dollars(saved)}` : `${short(cached)} of the input`,
				},
			]}
		/>
	);
};
