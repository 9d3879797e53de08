/** The persons, and what can be done about each. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { firstClick } from "../data/first-click.ts";
import { go, openRow } from "../data/location.ts";
import { useAction } from "../data/use-action.ts";
import { Closing } from "../parts/closing.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { Question } from "../parts/question.tsx";
import { Search } from "../parts/search.tsx";
import { Spending } from "../parts/spending.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import type { PersonRow } from "./person.ts";
import { PersonSheet } from "./person-sheet.tsx";

interface PersonTableProps {
	readonly rows: readonly PersonRow[];
	readonly changed: () => void;
}

/** So many are seen at a glance. */
const few = 15;

export const PersonTable = ({ rows, changed }: PersonTableProps) => {
	const { busy, failure, run } = useAction();
	const [words, setWords] = useState("");
	const [disabling, setDisabling] = useState<PersonRow>();
	const act = async (id: string, verb: string): Promise<void> => {
		await call("POST", `/admin/people/${encodeURIComponent(id)}/${verb}`);
		changed();
	};
	const columns: readonly Column<PersonRow>[] = [
		{
			title: "Person",
			kind: "lead",
			cell: ({ id, name }) => (
				<a href={`/console/people/${encodeURIComponent(id)}`} data-row>
					{name}
				</a>
			),
		},
		{ title: "Role", cell: ({ role }) => role },
		{
			title: "Spent",
			kind: "bare",
			cell: (person) => <Spending person={person} />,
		},
		// Seen is who has a session; of one that is over nothing is left.
		{ title: "Last seen", kind: "tight", cell: ({ seenAt }) => <Moment at={seenAt} never="signed out" /> },
		{
			title: "State",
			kind: "end",
			cell: ({ disabled }) => <State tone={disabled ? "off" : "good"}>{disabled ? "Disabled" : "May sign in"}</State>,
		},
		{
			title: "Actions",
			kind: "bare",
			cell: (row) => (
				<>
					<button
						type="button"
						class="plain"
						disabled={busy}
						aria-label={`${row.disabled ? "Enable" : "Disable"} ${row.name}`}
						onClick={firstClick(() => (row.disabled ? run(() => act(row.id, "enable")) : setDisabling(row)))}
					>
						{row.disabled ? "Enable" : "Disable"}
					</button>
					<button
						type="button"
						class="plain"
						disabled={busy}
						aria-label={`Sign out everywhere: ${row.name}`}
						onClick={() => run(() => act(row.id, "sign-out"))}
					>
						Sign out everywhere
					</button>
				</>
			),
		},
	];
	const open = openRow();
	const person = rows.find(({ id }) => id === open);
	const close = () => go("/console/people");
	const named = words.trim().toLowerCase();
	const found = rows.filter(({ name }) => name.toLowerCase().includes(named));
	return (
		<>
			<Failure failure={failure} />
			{rows.length > few && (
				<div class="bar">
					<Search label="Find a person" placeholder="Find by name" value={words} change={setWords} />
				</div>
			)}
			{found.length === 0 && (
				<Empty title="Nobody is called that.">
					<button type="button" onClick={() => setWords("")}>
						Show everybody
					</button>
				</Empty>
			)}
			{found.length > 0 && <Table label="People" columns={columns} rows={found} keyOf={({ id }) => id} />}
			{disabling && (
				<Question
					title={`Disable ${disabling.name}?`}
					yes="Disable"
					act={() => act(disabling.id, "disable")}
					close={() => setDisabling(undefined)}
				>
					<p>
						<b>{disabling.name}</b> is signed out at once, and calls with their tokens are refused until somebody
						enables them again.
					</p>
					<p class="quiet">Nothing is deleted. Links that they made are over for good.</p>
				</Question>
			)}
			{person && <PersonSheet key={person.id} person={person} close={close} changed={changed} />}
			{open !== undefined && !person && (
				<Dialog title="There is no such person" words={<code>{open}</code>} close={close}>
					<div class="inside">
						<p>The address may be mistyped.</p>
					</div>
					<Closing close={close} />
				</Dialog>
			)}
		</>
	);
};
