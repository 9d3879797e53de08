/** Makes a link by which somebody joins. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { firstClick } from "../data/first-click.ts";
import { useKept } from "../data/kept.ts";
import { text } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Segments } from "../parts/segments.tsx";
import { sentOf, type Written } from "../tokens/settings.ts";
import { BudgetsField, useBudgetsSetting } from "./budgets-field.tsx";
import { CeilingField, ceilingSent } from "./ceiling-field.tsx";
import { LinkShown } from "./link-shown.tsx";
import { roles } from "./person-sheet.tsx";

interface InviteProps {
	readonly close: () => void;
	readonly made: () => void;
}

export const Invite = ({ close, made }: InviteProps) => {
	const [role, setRole] = useState("member");
	const [ceiling, setCeiling] = useState("");
	const [budgets, setBudgets] = useState<Written>([]);
	const [link, setLink] = useState<string>();
	const setting = useBudgetsSetting();
	const { busy, failure, run } = useAction();
	useKept(busy || ceiling !== "" || budgets.length !== 0);
	const submit = (event: Event) => {
		event.preventDefault();
		run(async () => {
			const terms = {
				role,
				ceiling: ceilingSent(ceiling),
				...(setting && { budgets: sentOf(setting, budgets) }),
			};
			setLink(text(await call("POST", "/admin/invitations", terms), "link"));
			made();
		});
	};
	return (
		<Dialog
			title="Invite somebody"
			words="Whoever opens the link chooses a name and a password. It is valid for 72 hours."
			{...(!link && { close })}
		>
			<form onSubmit={submit}>
				<div class="inside">
					{link ? (
						<LinkShown link={link} />
					) : (
						<>
							<Segments label="Role" options={roles} value={role} choose={setRole} />
							<CeilingField value={ceiling} change={setCeiling} />
							<BudgetsField setting={setting} written={budgets} change={setBudgets} />
						</>
					)}
				</div>
				<div class="bottom">
					<Failure failure={failure} />
					<button type="button" onClick={firstClick(close)}>
						{link ? "I have copied it" : "Cancel"}
					</button>
					{!link && (
						<button type="submit" class="first" disabled={busy}>
							Make the link
						</button>
					)}
				</div>
			</form>
		</Dialog>
	);
};
