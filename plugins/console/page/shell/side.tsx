/** The links to every page, what calls for action beside them, and who is signed in. */
import { useEffect, useRef, useState } from "preact/hooks";
import { place } from "../data/location.ts";
import { isAdmin, isSomebody, person, signOut } from "../data/session.ts";
import { useAction } from "../data/use-action.ts";
import { Failure } from "../parts/failure.tsx";
import { Mark } from "../parts/mark.tsx";
import { Account } from "./account.tsx";
import { useAlarms } from "./alarms.ts";
import { type ConsolePage, pageAt, pagesFor } from "./pages.ts";

export const Side = () => {
	const admin = isAdmin();
	const [account, setAccount] = useState(false);
	const { failure, run } = useAction();
	const alarms = useAlarms(admin);
	const here = pageAt(place.value.path, admin);
	const nav = useRef<HTMLElement>(null);
	// On a narrow screen the links are a strip, and this one may stand beyond its edge.
	useEffect(() => {
		nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
	}, [here]);
	const link = (page: ConsolePage) => (
		<li key={page.path}>
			<a href={page.path} aria-current={page === here ? "page" : undefined}>
				{page.name}
				{alarms[page.name] && <span class="alarm">{alarms[page.name]}</span>}
			</a>
		</li>
	);
	const known = pagesFor(admin);
	const gateway = known.filter((page) => page.gateway);
	return (
		<header class="side">
			<a class="brand" href="/console">
				<Mark />
				Portico
			</a>
			<nav aria-label="Console" ref={nav}>
				<ul>{known.filter((page) => !page.gateway).map(link)}</ul>
				{gateway.length > 0 && (
					<div>
						<h2 id="gateway">Gateway</h2>
						<ul aria-labelledby="gateway">{gateway.map(link)}</ul>
					</div>
				)}
			</nav>
			<div class="me">
				<span>
					<b>{person.value?.name}</b> {person.value?.role}
				</span>
				<div>
					{isSomebody() && (
						<button type="button" class="plain" onClick={() => setAccount(true)}>
							Account
						</button>
					)}
					<button type="button" class="plain" onClick={() => run(() => signOut())}>
						Sign out
					</button>
				</div>
				<Failure failure={failure} />
			</div>
			{account && <Account close={() => setAccount(false)} />}
		</header>
	);
};
