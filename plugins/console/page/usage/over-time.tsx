/** Dollars or calls over time, a column for each hour or day. */
import { useState } from "preact/hooks";
import { count, dollars } from "../data/format.ts";
import { Segments } from "../parts/segments.tsx";
import { Chart } from "./chart.tsx";
import { type Period, stepLabels, stepName, units } from "./periods.ts";
import { type Sum, seriesOf, total } from "./sums.ts";

interface OverTimeProps {
	readonly sums: readonly Sum[];
	readonly period: Period;
	/** Every hour or day of the period. */
	readonly steps: readonly string[];
	readonly now: number;
}

export const OverTime = ({ sums, period, steps, now }: OverTimeProps) => {
	const [chosen, choose] = useState<"cost" | "calls">();
	// Where nothing was charged, as for the demo, columns of dollars show nothing.
	const figure = chosen ?? (total(sums, "cost") > 0 ? "cost" : "calls");
	const series = seriesOf(sums, figure, period, now);
	const columns = steps.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
	const highest = columns.indexOf(Math.max(...columns));
	const say = figure === "cost" ? dollars : count;
	const unit = units[period.by];
	const sentence = `Stacked columns of ${figure === "cost" ? "dollars" : "calls"} ${unit}. The highest is ${stepName(steps[highest] ?? "")} with ${say(columns[highest] ?? 0)}. The tables below have the figures.`;
	return (
		<section class="panel" aria-labelledby="over-time">
			<header>
				<h2 id="over-time">
					{figure === "cost" ? "Dollars" : "Calls"} {unit}, by model
				</h2>
				<div class="legend">
					{series.map(({ name }, index) => (
						<span key={name} class={`series-${index + 1}`}>
							{name}
						</span>
					))}
				</div>
				<Segments
					label="Figure"
					value={figure}
					choose={(value) => choose(value === "calls" ? "calls" : "cost")}
					options={[
						{ value: "cost", text: "Dollars" },
						{ value: "calls", text: "Calls" },
					]}
				/>
			</header>
			<Chart labels={stepLabels(steps)} series={series} say={say} whole={figure === "calls"} sentence={sentence} />
		</section>
	);
};
