/** How long the completed calls of each model took. */
import { count, seconds } from "../data/format.ts";
import { type Column, Table } from "../parts/table.tsx";
import type { Sum } from "./sums.ts";

const time = (milliseconds: number | undefined): string => (milliseconds === undefined ? "–" : seconds(milliseconds));

const columns: readonly Column<Sum>[] = [
	{ title: "Model", kind: "lead", cell: ({ of }) => <code>{of["model"] ?? "no known model"}</code> },
	{ title: "Completed", kind: "figure", cell: ({ completed }) => count(completed) },
	{ title: "Half within", kind: "figure", cell: ({ p50 }) => time(p50) },
	{ title: "95 of 100 within", kind: "figure", cell: ({ p95 }) => time(p95) },
];

export const TimesTable = ({ sums }: { readonly sums: readonly Sum[] }) => {
	const rows = sums.filter(({ p50 }) => p50 !== undefined).toSorted((a, b) => b.completed - a.completed);
	if (rows.length === 0) return null;
	return <Table heading label="Time taken" columns={columns} rows={rows} keyOf={({ of }) => of["model"] ?? ""} />;
};
