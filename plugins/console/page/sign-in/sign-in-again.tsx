/** Asks who sits there once the session is over, before a page that must not be lost: nobody reads it meanwhile. */
import { person } from "../data/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";

export const SignInAgain = () => (
	<Dialog
		cover
		title="Sign in again"
		words={`Your session is over. What you wrote or were shown is still here, for ${person.value?.name ?? "you"} only.`}
	>
		<div class="inside">
			<SignInForm />
		</div>
	</Dialog>
);
