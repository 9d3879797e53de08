/** Where the link of an invitation leads: a name and a password are chosen, or another password. */
import { useEffect, useState } from "preact/hooks";
import { Refusal } from "../data/call.ts";
import { invitationOf } from "../data/session.ts";
import { useWaiting } from "../data/waiting.ts";
import { Waiting } from "../parts/waiting.tsx";
import { Frame } from "./frame.tsx";
import { JoinForm } from "./join-form.tsx";

/** Takes the secret out of the address bar and its history as it is read. */
const takeSecret = (): string => {
	const secret = location.hash.slice(1);
	if (secret !== "") history.replaceState(null, "", location.pathname);
	return secret;
};

const NoUse = ({ title, words }: { readonly title: string; readonly words: string }) => (
	<Frame title={title} words={words}>
		<p>
			Another one is made by an administrator, or by <code>portico person invite</code>.
		</p>
		<p>
			<a href="/console">Sign in</a>
		</p>
	</Frame>
);

export const Join = () => {
	const [secret] = useState(takeSecret);
	const [found, setFound] = useState<{ readonly name: string | undefined } | "no use">();
	useEffect(() => {
		if (secret === "") return;
		invitationOf(secret).then(setFound, (error: unknown) => {
			if (!(error instanceof Refusal)) throw error;
			// Whatever else is wrong is told of what is sent.
			setFound(error.code === "invitation_not_valid" ? "no use" : { name: undefined });
		});
	}, [secret]);
	useWaiting(secret !== "" && found === undefined);
	if (secret === "")
		return (
			<NoUse
				title="This link is not whole"
				words="What follows the # in it is missing, or it was used in this window already. Open it once more as you were given it."
			/>
		);
	if (found === undefined)
		return (
			<main aria-busy="true">
				<Waiting />
			</main>
		);
	if (found === "no use")
		return (
			<NoUse
				title="This link is not valid"
				words="It was used already, its time is over, or it was cut short on its way."
			/>
		);
	return <JoinForm secret={secret} known={found.name} />;
};
