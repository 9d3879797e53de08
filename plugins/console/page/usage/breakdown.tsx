/** The sums by each of what they can be divided by, and how long calls took. */
import { isAdmin } from "../data/session.ts";
import { SumTable } from "./sum-table.tsx";
import type { Sum } from "./sums.ts";
import { TimesTable } from "./times-table.tsx";

interface BreakdownProps {
	readonly sums: readonly Sum[];
	/** By model. */
	readonly times: readonly Sum[];
	readonly by: string;
	readonly tokenName: (id: string) => string;
	readonly personName: (id: string) => string;
}

export const Breakdown = ({ sums, times, by, tokenName, personName }: BreakdownProps) => (
	<div class="columns">
		<SumTable
			label="By token"
			by="token"
			sums={sums}
			name={(id) => (id === "" ? "no token" : <a href={`/console/tokens/${id}`}>{tokenName(id)}</a>)}
		/>
		<SumTable label="By model" by="model" sums={sums} name={(name) => <code>{name || "no model"}</code>} />
		{isAdmin() && (
			<SumTable label="By person" by="owner" sums={sums} name={(id) => (id === "" ? "the house" : personName(id))} />
		)}
		{isAdmin() && <SumTable label="By upstream" by="upstream" sums={sums} name={(name) => name || "no upstream"} />}
		<TimesTable sums={times} />
		<SumTable label={`By ${by}`} by={by} sums={sums} name={(step) => step} latestFirst />
	</div>
);
