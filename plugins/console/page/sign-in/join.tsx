/** Where the link of an invitation leads: a name and a password are chosen. */
import { useState } from "preact/hooks";
import { go } from "../data/location.ts";
import { join } from "../data/session.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";
import { NewPassword } from "../parts/new-password.tsx";
import { Frame } from "./frame.tsx";

/** Takes the secret out of the address bar and its history as it is read. */
const takeSecret = (): string => {
	const secret = location.hash.slice(1);
	if (secret !== "") history.replaceState(null, "", location.pathname);
	return secret;
};

export const Join = () => {
	const [secret] = useState(takeSecret);
	const [name, setName] = useState("");
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
	if (secret === "")
		return (
			<Frame
				title="This link is not whole"
				words="What follows the # in it is missing, or it was used in this window already."
			>
				<p>
					Open the link once more as you were given it. Another one is made by an administrator, or by{" "}
					<code>portico person invite</code>.
				</p>
				<p>
					<a href="/console">Sign in</a>
				</p>
			</Frame>
		);
	return (
		<Frame title="Welcome to Portico" words="Choose the name others see and a password. The link works once.">
			<form onSubmit={submit}>
				<Field label="Name" value={name} change={setName} autocomplete="username" autofocus required />
				<NewPassword label="Password" value={password} change={setPassword} again={again} changeAgain={setAgain} />
				<Failure failure={password === again ? failure : undefined} />
				<button type="submit" class="first" disabled={busy}>
					Join
				</button>
			</form>
		</Frame>
	);
};
