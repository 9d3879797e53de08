/** Changes a person's role and ceiling, and makes a link for another password. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { useKept } from "../data/kept.ts";
import { text } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { Segments } from "../parts/segments.tsx";
import { sentOf, type Written, writtenOf } from "../tokens/settings.ts";
import { BudgetsField, useBudgetsSetting } from "./budgets-field.tsx";
import { CeilingField, ceilingSent } from "./ceiling-field.tsx";
import { LinkShown } from "./link-shown.tsx";
import { asSet, type PersonRow } from "./person.ts";

interface PersonSheetProps {
	readonly person: PersonRow;
	readonly close: () => void;
	readonly changed: () => void;
}

export const roles = [
	{ value: "member", text: "Member" },
	{ value: "admin", text: "Admin" },
];

export const PersonSheet = ({ person, close, changed }: PersonSheetProps) => {
	/** As it was when the sheet was opened: what somebody else changes meanwhile is not put back. */
	const [first] = useState(person);
	const [role, setRole] = useState(first.role);
	const before = first.ceiling === undefined ? "" : String(first.ceiling);
	const [ceiling, setCeiling] = useState(before);
	const [budgets, setBudgets] = useState<Written>();
	const [link, setLink] = useState<string>();
	const setting = useBudgetsSetting();
	const { busy, failure, run } = useAction();
	useKept(busy || role !== first.role || ceiling !== before || budgets !== undefined);
	const save = (event: Event) => {
		event.preventDefault();
		run(async () => {
			await call("PATCH", `/admin/people/${encodeURIComponent(person.id)}`, {
				...(role !== first.role && { role }),
				...(ceiling !== before && { ceiling: ceilingSent(ceiling) }),
				...(setting && budgets !== undefined && { budgets: sentOf(setting, budgets) ?? null }),
			});
			changed();
			close();
		});
	};
	const makeLink = () =>
		run(async () => setLink(text(await call("POST", "/admin/invitations", { person: person.id }), "link")));
	return (
		<Dialog sheet title={person.name} words={<code>{person.id}</code>} {...(!link && { close })}>
			<form onSubmit={save}>
				<div class="inside">
					<Segments label="Role" options={roles} value={role} choose={setRole} />
					<CeilingField value={ceiling} change={setCeiling} />
					<BudgetsField
						setting={setting}
						written={budgets ?? (setting ? writtenOf(setting, person.budgets.map(asSet)) : [])}
						change={setBudgets}
					/>
					<p>
						<a href={`/console/calls?owner=${encodeURIComponent(person.id)}`}>See the calls of their tokens</a>
					</p>
					{link ? (
						<LinkShown link={link} />
					) : (
						<p>
							<button type="button" disabled={busy} onClick={makeLink}>
								Make a link for another password
							</button>
						</p>
					)}
				</div>
				<FormEnd failure={failure} close={close} closing="Close" sending="Save" busy={busy} />
			</form>
		</Dialog>
	);
};
