/** The sums by each of what they can be divided by, and how long calls took. */
import { isAdmin } from "../data/session.ts";
import type { Before } from "./before.ts";
import { type Period, stepName, stepOf, stepTimes } from "./periods.ts";
import { SumTable } from "./sum-table.tsx";
import type { Sum, TopSums } from "./sums.ts";
import { TimesTable } from "./times-table.tsx";

interface BreakdownProps {
	/** By time, model and upstream. */
	readonly sums: readonly Sum[];
	/** By token and ending. */
	readonly ofTokens: TopSums;
	/** By person and ending. */
	readonly ofPersons: TopSums;
	/** By model, upstream and ending. */
	readonly endings: readonly Sum[];
	/** By time and ending. */
	readonly endingsInTime: readonly Sum[];
	/** By model. */
	readonly times: readonly Sum[];
	readonly by: Period["by"];
	/** When the period began. */
	readonly from: string;
	readonly personName: (id: string) => string;
	readonly before: Before | undefined;
}

export const Breakdown = (props: BreakdownProps) => {
	const { sums, ofTokens, ofPersons, endings, endingsInTime, times, by, from, personName, before } = props;
	const tokenNames = new Map(ofTokens.sums.map(({ of }) => [of["token"], of["tokenName"]]));
	const keptBy = (name: string) => (value: string) =>
		value === "" ? { without: name, from } : { [name]: value, from };
	const chargedBefore = (group: string) => (value: string) => before?.charged(group, value);
	return (
		<div class="columns">
			<SumTable
				label="By token"
				by="token"
				sums={ofTokens.sums}
				others={ofTokens}
				endings={ofTokens.sums}
				name={(id) => (id === "" ? "no token" : <a href={`/console/tokens/${id}`}>{tokenNames.get(id) ?? id}</a>)}
				kept={keptBy("token")}
				before={chargedBefore("token")}
			/>
			<SumTable
				label="By model"
				by="model"
				sums={sums}
				endings={endings}
				name={(name) => <code>{name || "no model"}</code>}
				kept={keptBy("model")}
				before={chargedBefore("model")}
			/>
			{isAdmin() && (
				<>
					<SumTable
						label="By person"
						by="owner"
						sums={ofPersons.sums}
						others={ofPersons}
						endings={ofPersons.sums}
						name={(id) => (id === "" ? "no person" : personName(id))}
						kept={keptBy("owner")}
						before={chargedBefore("owner")}
					/>
					<SumTable
						label="By upstream"
						by="upstream"
						sums={sums}
						endings={endings}
						name={(name) => name || "no upstream"}
						kept={keptBy("upstream")}
						before={chargedBefore("upstream")}
					/>
				</>
			)}
			<TimesTable sums={times} />
			<SumTable
				label={`By ${by}`}
				by={by}
				sums={sums}
				endings={endingsInTime}
				name={(step) => (by === "hour" ? stepName(stepOf(step, by)) : step)}
				kept={(step) => stepTimes(stepOf(step, by))}
				latestFirst
			/>
		</div>
	);
};
