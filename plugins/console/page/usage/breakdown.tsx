/** The sums by each of what they can be divided by, and how long calls took. */
import type { ComponentChildren } from "preact";
import { query } from "../data/call.ts";
import { isAdmin } from "../data/session.ts";
import type { Before } from "./before.ts";
import { type Period, stepName, stepOf, stepTimes } from "./periods.ts";
import { SumTable } from "./sum-table.tsx";
import { TimesTable } from "./times-table.tsx";
import type { PeriodSums } from "./use-sums.ts";

interface BreakdownProps
	extends Pick<PeriodSums, "sums" | "ofTokens" | "ofPersons" | "endings" | "endingsInTime" | "times"> {
	readonly by: Period["by"];
	/** When the period began. */
	readonly from: string;
	readonly personName: (id: string) => string;
	readonly before: Before | undefined;
}

export const Breakdown = (props: BreakdownProps) => {
	const { sums, ofTokens, ofPersons, endings, endingsInTime, times, by, from, personName, before } = props;
	const tokenNames = new Map(ofTokens.sums.map(({ of }) => [of["token"], of["tokenName"]]));
	/** What the sums are divided by, which calls each of them is made of, and what it was in the period before. */
	const dividedBy = (group: string) => ({
		by: group,
		kept: (value: string) => (value === "" ? { without: group, from } : { [group]: value, from }),
		before: (value: string) => before?.charged(group, value),
	});
	const [ofModels, ofUpstreams] = [dividedBy("model"), dividedBy("upstream")];
	const timesOf = (step: string) => stepTimes(stepOf(step, by));
	const toCalls = (kept: Readonly<Record<string, string>>, words: ComponentChildren) => (
		<a href={`/console/calls${query(kept)}`}>{words}</a>
	);
	return (
		<div class="columns">
			<SumTable
				label="By token"
				{...dividedBy("token")}
				sums={ofTokens.sums}
				others={ofTokens}
				endings={ofTokens.sums}
				name={(id) => (id === "" ? "no token" : <a href={`/console/tokens/${id}`}>{tokenNames.get(id) ?? id}</a>)}
			/>
			<SumTable
				label="By model"
				{...ofModels}
				sums={sums}
				endings={endings}
				name={(name) => toCalls(ofModels.kept(name), <code>{name || "no known model"}</code>)}
			/>
			{isAdmin() && (
				<>
					<SumTable
						label="By person"
						{...dividedBy("owner")}
						sums={ofPersons.sums}
						others={ofPersons}
						endings={ofPersons.sums}
						name={(id) =>
							id === "" ? "no person" : <a href={`/console/people/${encodeURIComponent(id)}`}>{personName(id)}</a>
						}
					/>
					<SumTable
						label="By upstream"
						{...ofUpstreams}
						sums={sums}
						endings={endings}
						name={(name) => toCalls(ofUpstreams.kept(name), name || "no upstream")}
					/>
				</>
			)}
			<TimesTable sums={times} />
			<SumTable
				label={`By ${by}`}
				by={by}
				sums={sums}
				endings={endingsInTime}
				name={(step) => toCalls(timesOf(step), by === "hour" ? stepName(stepOf(step, by)) : step)}
				kept={timesOf}
				latestFirst
			/>
		</div>
	);
};
