/** Who changed what, newest first. */
import { useRef, useState } from "preact/hooks";
import { exact } from "../data/format.ts";
import { usePersonNames } from "../data/person-names.ts";
import { wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Failure } from "../parts/failure.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { type AuditLine, auditLineOf } from "./person.ts";

const columns: readonly Column<AuditLine>[] = [
	{
		title: "What",
		kind: "lead",
		cell: ({ verb, what, object }) => (
			<>
				{verb} {what}
				{object && (
					<small>
						<code>{object}</code>
					</small>
				)}
			</>
		),
	},
	{
		title: "Changed",
		kind: "bare",
		cell: ({ changes }) => changes.map((change) => <small key={change}>{change}</small>),
	},
	{ title: "Who", cell: ({ who }) => who },
	{ title: "From", kind: "wide", cell: ({ address }) => address ?? "–" },
	{ title: "When", kind: "tight", cell: ({ at }) => (at === undefined ? "–" : exact(at)) },
];

const step = 30;
/** The server takes no more at once; `portico audit` goes on. */
const most = 990;

export const Audit = () => {
	const [limit, setLimit] = useState(step);
	const { data, failure } = useAnswer(`/admin/audit?limit=${limit}`);
	const personName = usePersonNames();
	/** What is shown stays until there is more. */
	const latest = useRef<readonly AuditLine[]>([]);
	if (data) latest.current = wires(data, "data").map((line) => auditLineOf(line, personName));
	const lines = latest.current;
	return (
		<>
			<Failure failure={failure} />
			{lines.length > 0 && (
				<Table heading whole label="Who changed what" columns={columns} rows={lines} keyOf={({ id }) => id} />
			)}
			{lines.length >= step && lines.length % step === 0 && limit < most && (
				<p>
					<button type="button" onClick={() => setLimit(limit + step)}>
						Show more
					</button>
				</p>
			)}
		</>
	);
};
