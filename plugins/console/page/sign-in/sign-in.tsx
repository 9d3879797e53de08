/** The way in for persons, and for whoever holds the admin token. */
import { Frame } from "./frame.tsx";
import { SignInForm } from "./sign-in-form.tsx";

export const SignIn = () => (
	<Frame title="Sign in" words="To create tokens and to see what they are used for.">
		<SignInForm />
		<p class="quiet">
			No account yet? Open the link an administrator made for you, or make one:{" "}
			<code>portico person invite --role admin</code>
		</p>
		<p class="quiet">Password forgotten? An administrator makes a link by which you set another.</p>
	</Frame>
);
