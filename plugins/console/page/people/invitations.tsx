/** Invitations that can still be used. */
import { call } from "../data/call.ts";
import { firstClick } from "../data/first-click.ts";
import { type Wire, wires } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { type Invitation, invitationOf } from "./person.ts";

interface InvitationsProps {
	readonly answer: Wire | undefined;
	readonly changed: () => void;
}

export const Invitations = ({ answer, changed }: InvitationsProps) => {
	const { busy, failure, run } = useAction();
	const rows = answer ? wires(answer, "data").map(invitationOf) : [];
	if (rows.length === 0) return null;
	const columns: readonly Column<Invitation>[] = [
		{
			title: "Invitation",
			kind: "lead",
			cell: ({ role, forPerson }) => (forPerson ? "for another password" : `as ${role}`),
		},
		{ title: "Id", kind: "wide", cell: ({ id }) => <code>{id}</code> },
		{ title: "Ends", kind: "tight", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
		{
			title: "Actions",
			kind: "end",
			cell: ({ id }) => (
				<button
					type="button"
					class="plain"
					disabled={busy}
					aria-label={`Withdraw the invitation ${id}`}
					onClick={firstClick(() =>
						run(async () => {
							await call("DELETE", `/admin/invitations/${encodeURIComponent(id)}`);
							changed();
						}),
					)}
				>
					Withdraw
				</button>
			),
		},
	];
	return (
		<>
			<Failure failure={failure} />
			<Table heading label="Open invitations" columns={columns} rows={rows} keyOf={({ id }) => id} />
		</>
	);
};
