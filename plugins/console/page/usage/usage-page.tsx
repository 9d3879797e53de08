/** Dollars and calls over time, and what made them. */
import { useState } from "preact/hooks";
import { count, dollars, share, short } from "../data/format.ts";
import { place, setQuery } from "../data/location.ts";
import { usePersonNames } from "../data/person-names.ts";
import { saveCsv } from "../data/save.ts";
import { useAction } from "../data/use-action.ts";
import { Code } from "../parts/code.tsx";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { Head } from "../parts/head.tsx";
import { Segments } from "../parts/segments.tsx";
import { curlOf } from "../tokens/snippets.ts";
import { Breakdown } from "./breakdown.tsx";
import { Chart } from "./chart.tsx";
import { Figures } from "./figures.tsx";
import { periods, stepLabel, stepName, steps, units } from "./periods.ts";
import { seriesOf, total } from "./sums.ts";
import { csvRows } from "./usage-csv.ts";
import { usePeriodSums } from "./use-sums.ts";

export const UsagePage = () => {
	const [now] = useState(Date.now);
	const asked = place.value.query.get("period");
	const period = periods.find(({ value }) => value === asked) ?? periods[2] ?? periods[0];
	const [figure, setFigure] = useState<"cost" | "calls">("cost");
	const personName = usePersonNames();
	const saving = useAction();
	const from = new Date(period?.from(now) ?? 0).toISOString();
	const by = period?.by ?? "day";
	const { sums, ofTokens, times, data, failure, all } = usePeriodSums(from, by);
	if (!period) return null;

	const save = (): void =>
		saving.run(async () => {
			saveCsv(`usage-${from.slice(0, 10)}.csv`, csvRows(await all(), by, personName));
		});

	const at = steps(period, now);
	const series = seriesOf(sums, figure, period, now);
	const columns = at.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
	const highest = columns.indexOf(Math.max(...columns));
	const say = figure === "cost" ? dollars : count;
	const calls = total(sums, "calls");
	const cost = total(sums, "cost");
	const [input, cached, saved] = [total(sums, "inputTokens"), total(sums, "cachedTokens"), total(sums, "saved")];
	const unit = units[by];
	const sentence = `Stacked columns of ${figure === "cost" ? "dollars" : "calls"} ${unit}. The highest is ${stepName(at[highest] ?? "")} with ${say(columns[highest] ?? 0)}. The tables below have the figures.`;

	return (
		<>
			<Head
				title="Usage"
				acts={
					<>
						<Segments
							label="Period"
							options={periods}
							value={period.value}
							choose={(value) => setQuery({ period: value })}
						/>
						<button type="button" disabled={sums.length === 0 || saving.busy} onClick={save}>
							CSV
						</button>
					</>
				}
			>
				Since {stepName(at[0] ?? "")}, UTC. Sums of the ledger's rows; they equal what tokens were charged.
			</Head>
			<Failure failure={failure ?? saving.failure} />
			{data && sums.length === 0 && (
				<Empty title="Nothing was asked in this time.">
					<p>Every call appears here a few seconds after it ends. This makes one:</p>
					<Code label="A call" text={curlOf(location.origin, "demo")} />
				</Empty>
			)}
			{sums.length > 0 && (
				<>
					<Figures
						figures={[
							{ name: "Charged", value: dollars(cost), note: `${dollars(cost / at.length)} ${unit}` },
							{ name: "Calls", value: count(calls), note: `${count(Math.round(calls / at.length))} ${unit}` },
							{
								name: "Completed",
								value: share(total(sums, "completed"), calls),
								note: <a href="/console/calls?ending=refused">see the refused</a>,
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
								choose={(value) => setFigure(value === "calls" ? "calls" : "cost")}
								options={[
									{ value: "cost", text: "Dollars" },
									{ value: "calls", text: "Calls" },
								]}
							/>
						</header>
						<Chart labels={at.map(stepLabel)} series={series} say={say} sentence={sentence} />
					</section>
					<Breakdown sums={sums} ofTokens={ofTokens} times={times} by={by} personName={personName} />
				</>
			)}
		</>
	);
};
