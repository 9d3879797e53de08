/** A table whose rows become a few lines each on a narrow screen. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../data/format.ts";

export interface Column<Row> {
	readonly title: string;
	cell(row: Row): ComponentChildren;
	/** `lead` names the row, `end` says how it does, `figure` is a number, `wide` is left out on narrow screens, `spare` already on small ones, `bare` has no title there. */
	readonly kind?: "lead" | "end" | "figure" | "wide" | "spare" | "bare" | "tight";
}

interface TableProps<Row> {
	readonly label: string;
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly keyOf: (row: Row) => string;
	/** A heading above the table instead of a name that only readers of screens hear. */
	readonly heading?: boolean;
	/** What is left to say of rows that are not here. */
	readonly below?: ComponentChildren;
	/** All of them at once, where somebody has asked for that many. */
	readonly whole?: boolean;
}

/** A thousand rows take a browser most of a second, each time that they are asked for anew. */
const step = 200;

export const Table = <Row,>(props: TableProps<Row>) => {
	const [most, setMost] = useState(step);
	const { rows, below, whole = false } = props;
	if (whole || rows.length <= most) return <WholeTable {...props} />;
	const more = (
		<>
			{below} {count(most)} of {count(rows.length)} are shown{" "}
			<button type="button" onClick={() => setMost(most + step)}>
				Show {step} more
			</button>
		</>
	);
	return <WholeTable {...props} rows={rows.slice(0, most)} below={more} />;
};

const WholeTable = <Row,>({ label, columns, rows, keyOf, heading, below }: TableProps<Row>) => (
	// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
	<section class="table" aria-label={label} tabIndex={0}>
		{heading && <h2>{label}</h2>}
		{/* The roles stand for themselves, because the narrow form takes them from the elements. */}
		{/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
		<table role="table">
			<thead role="rowgroup">
				<tr role="row">
					{columns.map(({ title, kind }) => (
						<th key={title} role="columnheader" scope="col" class={kind}>
							{title === "Actions" ? <span class="unseen">{title}</span> : title}
						</th>
					))}
				</tr>
			</thead>
			<tbody role="rowgroup">
				{rows.map((row) => (
					<tr role="row" key={keyOf(row)}>
						{columns.map(({ title, kind, cell }) => (
							<td role={kind === "lead" ? "rowheader" : "cell"} key={title} class={kind} data-title={title}>
								{cell(row)}
							</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
		{/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
		{below && <p class="quiet">{below}</p>}
	</section>
);
