/** The sums of one group, with what part of the whole each is. */
import type { ComponentChildren } from "preact";
import { count, dollars, short } from "../data/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import { grouped, type Sum, total } from "./sums.ts";

interface SumTableProps {
	readonly label: string;
	readonly by: string;
	readonly sums: readonly Sum[];
	readonly name: (value: string) => ComponentChildren;
	/** By time, and not by dollars. */
	readonly latestFirst?: boolean;
}

export const SumTable = ({ label, by, sums, name, latestFirst }: SumTableProps) => {
	const all = total(sums, "cost");
	const columns: readonly Column<Sum>[] = [
		{
			title: label.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase()),
			kind: "lead",
			cell: ({ of }) => name(of[by] ?? ""),
		},
		{ title: "Calls", kind: "figure", cell: ({ calls }) => count(calls) },
		{ title: "Model tokens", kind: "figure", cell: (sum) => short(sum.inputTokens + sum.outputTokens) },
		{ title: "Charged", kind: "figure", cell: ({ cost }) => dollars(cost) },
		{
			title: "Share",
			kind: "wide",
			cell: ({ cost }) => <i class="line share" style={{ "--part": `${all === 0 ? 0 : (100 * cost) / all}%` }} />,
		},
	];
	const rows = grouped(sums, by);
	const shown = latestFirst ? rows.toSorted((a, b) => ((a.of[by] ?? "") < (b.of[by] ?? "") ? 1 : -1)) : rows;
	return <Table heading label={label} columns={columns} rows={shown} keyOf={({ of }) => of[by] ?? ""} />;
};
