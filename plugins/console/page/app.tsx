/** Chooses what is shown: the way in, or the page that the address names. */
import { useEffect, useState } from "preact/hooks";
import { Refusal } from "./data/call.ts";
import { place } from "./data/location.ts";
import { findSession, isAdmin, person, sessionOver } from "./data/session.ts";
import { useWaiting } from "./data/waiting.ts";
import { Failure } from "./parts/failure.tsx";
import { Waiting } from "./parts/waiting.tsx";
import { LoadedPage } from "./shell/loaded-page.tsx";
import { Missing } from "./shell/missing.tsx";
import { pageAt } from "./shell/pages.ts";
import { Shell } from "./shell/shell.tsx";
import { Frame } from "./sign-in/frame.tsx";
import { Join } from "./sign-in/join.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";
import { SignInAgain } from "./sign-in/sign-in-again.tsx";

/** While nobody knows who is signed in. */
const againMs = 5_000;

export const App = () => {
	const [failure, setFailure] = useState<Refusal>();
	useEffect(() => {
		let timer: ReturnType<typeof setTimeout>;
		const find = () =>
			void findSession().then(
				() => setFailure(undefined),
				(error: unknown) => {
					if (!(error instanceof Refusal)) throw error;
					setFailure(error);
					timer = setTimeout(find, againMs);
				},
			);
		// Somebody else may have signed in at another tab, and this one would still bear the name of whoever was here.
		const look = () => {
			if (document.visibilityState === "visible" && person.value !== undefined)
				void findSession().catch(() => undefined);
		};
		find();
		document.addEventListener("visibilitychange", look);
		addEventListener("focus", look);
		return () => {
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", look);
			removeEventListener("focus", look);
		};
	}, []);
	const { path } = place.value;
	useWaiting(person.value === undefined && failure === undefined);
	if (path === "/console/join") return <Join />;
	if (failure)
		return (
			<Frame title="The console cannot begin">
				<Failure failure={failure} />
			</Frame>
		);
	if (person.value === undefined)
		return (
			<main aria-busy="true">
				<Waiting />
			</main>
		);
	if (person.value === null) return <SignIn />;
	const page = pageAt(path, isAdmin());
	const { id, role } = person.value;
	return (
		<>
			<Shell key={`${id} ${role}`}>{page ? <LoadedPage key={page.path} page={page} /> : <Missing />}</Shell>
			{sessionOver.value && <SignInAgain />}
		</>
	);
};
