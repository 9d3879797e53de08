/** What was used and charged in a time, over time and by what made it. */
import { place, setQuery } from "../data/location.ts";
import { usePersonNames } from "../data/person-names.ts";
import { saveCsv } from "../data/save.ts";
import { useAction } from "../data/use-action.ts";
import { useNow } from "../data/use-now.ts";
import { Empty } from "../parts/empty.tsx";
import { Head } from "../parts/head.tsx";
import { ListFailure } from "../parts/list-failure.tsx";
import { Segments } from "../parts/segments.tsx";
import { FirstCall } from "../tokens/first-call.tsx";
import { useBefore } from "./before.ts";
import { Breakdown } from "./breakdown.tsx";
import { OverTime } from "./over-time.tsx";
import { PeriodFigures } from "./period-figures.tsx";
import { browserZone, periods, stepName, steps, thisMonth, units } from "./periods.ts";
import { csvRows } from "./usage-csv.ts";
import { usePeriodSums } from "./use-sums.ts";

export const UsagePage = () => {
	const now = useNow();
	const asked = place.value.query.get("period");
	const period = periods.find(({ value }) => value === asked) ?? thisMonth;
	const personName = usePersonNames();
	const saving = useAction();
	const from = new Date(period.from(now)).toISOString();
	const { by } = period;
	const { data, failure, all, ...tables } = usePeriodSums(from, by);
	const { sums, endings } = tables;
	const before = useBefore(period, now);
	const at = steps(period, now);

	const save = (): void =>
		saving.run(async () => {
			saveCsv(`usage-${(at[0] ?? "").slice(0, 10)}.csv`, csvRows(await all(), by, personName));
		});

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
				Since {stepName(at[0] ?? "")}
				{by === "day" && `, days of ${browserZone()}`}. Sums of the ledger's rows; they equal what tokens were charged.
			</Head>
			<ListFailure failure={failure ?? saving.failure} plugin="ledger" />
			{data && sums.length === 0 && (
				<Empty title="Nothing was asked in this time.">
					<p>Every call appears here a few seconds after it ends. This makes one:</p>
					<FirstCall label="A call" />
				</Empty>
			)}
			{sums.length > 0 && (
				<>
					<PeriodFigures
						sums={sums}
						endings={endings}
						steps={at.length}
						unit={units[by]}
						from={from}
						before={before?.all}
					/>
					<OverTime sums={sums} period={period} steps={at} now={now} />
					<Breakdown {...tables} by={by} from={from} personName={personName} before={before} />
				</>
			)}
		</>
	);
};
