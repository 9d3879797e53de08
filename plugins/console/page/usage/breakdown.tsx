/** The sums by each of what they can be divided by, and how long calls took. */
import { isAdmin } from "../data/session.ts";
import { SumTable } from "./sum-table.tsx";
import type { Sum } from "./sums.ts";
import { TimesTable } from "./times-table.tsx";

interface BreakdownProps {
	/** By time, model and upstream. */
	readonly sums: readonly Sum[];
	/** By token and person. */
	readonly ofTokens: readonly Sum[];
	/** By model. */
	readonly times: readonly Sum[];
	readonly by: string;
	readonly personName: (id: string) => string;
}

export const Breakdown = ({ sums, ofTokens, times, by, personName }: BreakdownProps) => {
	const tokenNames = new Map(ofTokens.map(({ of }) => [of["token"], of["tokenName"]]));
	return (
		<div class="columns">
			<SumTable
				label="By token"
				by="token"
				sums={ofTokens}
				name={(id) => (id === "" ? "no token" : <a href={`/console/tokens/${id}`}>{tokenNames.get(id) ?? id}</a>)}
			/>
			<SumTable label="By model" by="model" sums={sums} name={(name) => <code>{name || "no model"}</code>} />
			{isAdmin() && (
				<SumTable
					label="By person"
					by="owner"
					sums={ofTokens}
					name={(id) => (id === "" ? "no person" : personName(id))}
				/>
			)}
			{isAdmin() && <SumTable label="By upstream" by="upstream" sums={sums} name={(name) => name || "no upstream"} />}
			<TimesTable sums={times} />
			<SumTable label={`By ${by}`} by={by} sums={sums} name={(step) => step} latestFirst />
		</div>
	);
};
