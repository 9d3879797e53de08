/** The ways to say who one is: by name and password, or by the admin token. */
import { useState } from "preact/hooks";
import { isSomebody, person, signIn, signInWithAdminToken } from "../data/session.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Field } from "../parts/field.tsx";

export const SignInForm = () => {
	/** Who was signed in until now is asked for the rest only. */
	const [known] = useState(() => (isSomebody() ? (person.value?.name ?? "") : ""));
	const [byToken, setByToken] = useState(person.value !== null && known === "");
	const [name, setName] = useState(known);
	const [password, setPassword] = useState("");
	const [token, setToken] = useState("");
	const { busy, failure, run } = useAction();
	const submit = (event: Event) => {
		event.preventDefault();
		run(() => (byToken ? signInWithAdminToken(token.trim()) : signIn(name, password)));
	};
	return (
		<>
			<form onSubmit={submit}>
				{byToken ? (
					<Field
						label="The admin token"
						type="password"
						value={token}
						change={setToken}
						autocomplete="off"
						autofocus
						required
						note="The server names its file at its first start. It lets you in for an hour."
					/>
				) : (
					<>
						<Field
							label="Name"
							value={name}
							change={setName}
							autocomplete="username"
							autofocus={known === ""}
							required
						/>
						<Field
							label="Password"
							type="password"
							value={password}
							change={setPassword}
							autocomplete="current-password"
							autofocus={known !== ""}
							required
						/>
					</>
				)}
				<Failure failure={failure} />
				<button type="submit" class="first" disabled={busy}>
					Sign in
				</button>
			</form>
			<p>
				<button type="button" class="plain" onClick={() => setByToken(!byToken)}>
					{byToken ? "I have a name and a password" : "I have the admin token"}
				</button>
			</p>
		</>
	);
};
