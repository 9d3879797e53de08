/** Chooses what is shown: the way in, or the page that the address names. */
import { useEffect, useState } from "preact/hooks";
import { Refusal } from "./data/call.ts";
import { place } from "./data/location.ts";
import { findSession, isAdmin, person } from "./data/session.ts";
import { Failure } from "./parts/failure.tsx";
import { LoadedPage } from "./shell/loaded-page.tsx";
import { Missing } from "./shell/missing.tsx";
import { pageAt } from "./shell/pages.ts";
import { Shell } from "./shell/shell.tsx";
import { Join } from "./sign-in/join.tsx";
import { SignIn } from "./sign-in/sign-in.tsx";

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
		find();
		return () => clearTimeout(timer);
	}, []);
	const { path } = place.value;
	if (path === "/console/join") return <Join />;
	if (failure)
		return (
			<main>
				<h1>The console cannot begin</h1>
				<Failure failure={failure} />
			</main>
		);
	if (person.value === undefined) return <main aria-busy="true" />;
	if (person.value === null) return <SignIn />;
	const page = pageAt(path, isAdmin());
	return <Shell>{page ? <LoadedPage key={page.path} page={page} /> : <Missing />}</Shell>;
};
