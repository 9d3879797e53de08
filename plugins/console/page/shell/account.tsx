/** What a person does about themselves: another password, an end of all sessions. */
import { useState } from "preact/hooks";
import { useKept } from "../data/kept.ts";
import { changePassword, person, signOut } from "../data/session.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";
import { NewPassword } from "../parts/new-password.tsx";

export const Account = ({ close }: { readonly close: () => void }) => {
	const [now, setNow] = useState("");
	const [next, setNext] = useState("");
	const [again, setAgain] = useState("");
	const [changed, setChanged] = useState(false);
	const { busy, failure, run } = useAction();
	useKept(next !== "");
	const submit = (event: Event) => {
		event.preventDefault();
		if (next !== again) return;
		setChanged(false);
		run(async () => {
			await changePassword(now, next);
			for (const set of [setNow, setNext, setAgain]) set("");
			setChanged(true);
		});
	};
	return (
		<Dialog sheet title={person.value?.name ?? ""} words={`Signed in as ${person.value?.role}.`} close={close}>
			<form onSubmit={submit}>
				<div class="inside">
					<h3>Another password</h3>
					<Field
						label="Password now"
						type="password"
						value={now}
						change={setNow}
						autocomplete="current-password"
						required
					/>
					<NewPassword label="New password" value={next} change={setNext} again={again} changeAgain={setAgain} />
					<div class="bar">
						<button type="submit" class="first" disabled={busy}>
							Change the password
						</button>
					</div>
					<div aria-live="polite">
						{changed && <div class="notice">The password is changed. You are signed out everywhere else.</div>}
					</div>
					<Failure failure={next === again ? failure : undefined} />
				</div>
			</form>
			<div class="bottom">
				<button type="button" class="grave" disabled={busy} onClick={() => run(() => signOut(true))}>
					Sign out everywhere
				</button>
				<button type="button" onClick={close}>
					Close
				</button>
			</div>
		</Dialog>
	);
};
