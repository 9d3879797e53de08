/** What is chosen by whoever has a link that is valid. */
import { useState } from "preact/hooks";
import { go } from "../data/location.ts";
import { join } from "../data/session.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";
import { NewPassword } from "../parts/new-password.tsx";
import { Frame } from "./frame.tsx";

interface JoinFormProps {
	readonly secret: string;
	/** Whose password it sets; undefined for whoever is new here. */
	readonly known: string | undefined;
}

export const JoinForm = ({ secret, known }: JoinFormProps) => {
	const [name, setName] = useState(known ?? "");
	const [password, setPassword] = useState("");
	const [again, setAgain] = useState("");
	const { busy, failure, run } = useAction();
	const submit = (event: Event) => {
		event.preventDefault();
		if (password !== again) return;
		run(async () => {
			await join(secret, name, password);
			go("/console/tokens", true);
		});
	};
	return (
		<Frame
			title={known === undefined ? "Welcome to Portico" : `Another password for ${known}`}
			words={
				known === undefined
					? "Choose the name others see and a password. The link works once."
					: "Setting it signs you out everywhere else. The link works once."
			}
		>
			<form onSubmit={submit}>
				{known === undefined ? (
					<Field label="Name" value={name} change={setName} autocomplete="username" autofocus required />
				) : (
					// For what keeps passwords by name.
					<input type="text" hidden readOnly value={known} autocomplete="username" />
				)}
				<NewPassword
					label="Password"
					value={password}
					change={setPassword}
					again={again}
					changeAgain={setAgain}
					autofocus={known !== undefined}
				/>
				<Failure failure={password === again ? failure : undefined} />
				<button type="submit" class="first" disabled={busy}>
					{known === undefined ? "Join" : "Set the password"}
				</button>
			</form>
		</Frame>
	);
};
