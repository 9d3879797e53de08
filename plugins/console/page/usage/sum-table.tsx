/** The sums of one group, with what part of the whole each is, and how most of those ended that did not complete. */
import type { ComponentChildren } from "preact";
import { count, dollars, share, short } from "../data/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import { grouped, type Sum, type TopSums, total } from "./sums.ts";
import { TroubleLink } from "./trouble-link.tsx";
import { troublesOf } from "./troubles.ts";

interface SumTableProps {
	readonly label: string;
	readonly by: string;
	readonly sums: readonly Sum[];
	/** What the server put together of those that are not among the sums. */
	readonly others?: Pick<TopSums, "others" | "count">;
	/** By ending too. */
	readonly endings: readonly Sum[];
	readonly name: (value: string) => ComponentChildren;
	/** What keeps the list of calls to those of a row. */
	readonly kept: (value: string) => Readonly<Record<string, string>>;
	/** What was charged in as long a time before, where that is known. */
	readonly before?: (value: string) => number | undefined;
	/** By time, and not by dollars. */
	readonly latestFirst?: boolean;
}

/** From so many times on what it grew by is worth a look. */
const grown = 1.5;

const Grown = ({ cost, before }: { readonly cost: number; readonly before: number | undefined }) =>
	before !== undefined && cost >= 0.01 && cost >= grown * before ? <small>before {dollars(before)}</small> : null;

/** A table of thousands takes a browser seconds, and nobody reads it. */
const most = 100;

const noOthers = { others: [], count: 0 };

export const SumTable = (props: SumTableProps) => {
	const {
		label,
		by,
		sums,
		others: { others, count: unnamed } = noOthers,
		endings,
		name,
		kept,
		latestFirst,
		before,
	} = props;
	const all = total(sums, "cost") + total(others, "cost");
	const troubles = troublesOf(endings).by(by);
	const columns: readonly Column<Sum>[] = [
		{
			title: label.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase()),
			kind: "lead",
			cell: ({ of }) => {
				const value = of[by] ?? "";
				const trouble = troubles.get(value);
				return (
					<>
						{name(value)}
						{trouble && (
							<small>
								<TroubleLink trouble={trouble} kept={kept(value)} />
							</small>
						)}
					</>
				);
			},
		},
		{ title: "Calls", kind: "figure", cell: ({ calls }) => count(calls) },
		{ title: "Model tokens", kind: "figure", cell: (sum) => short(sum.inputTokens + sum.outputTokens) },
		{
			title: "Charged",
			kind: "figure",
			cell: ({ of, cost }) => (
				<>
					{dollars(cost)}
					<Grown cost={cost} before={before?.(of[by] ?? "")} />
				</>
			),
		},
		{
			title: "Share",
			kind: "wide",
			cell: ({ cost }) => (
				<>
					<i class="line share" style={{ "--part": `${all === 0 ? 0 : (100 * cost) / all}%` }} />
					<span class="unseen">{share(cost, all)}</span>
				</>
			),
		},
	];
	const rows = grouped(sums, by);
	const shown = latestFirst
		? rows.toSorted((a, b) => ((a.of[by] ?? "") < (b.of[by] ?? "") ? 1 : -1))
		: rows.slice(0, most);
	const more = rows.length - shown.length + unnamed;
	const charged = all - total(shown, "cost");
	return (
		<Table
			heading
			label={label}
			columns={columns}
			rows={shown}
			keyOf={({ of }) => of[by] ?? ""}
			below={more > 0 && `and ${count(more)} more for ${dollars(charged)} together, all of them in the CSV`}
		/>
	);
};
