/** Where in the console one is: the address bar, as signals. */
import { signal } from "@preact/signals";
import { focusHeading, focusIsLost } from "./focus.ts";
import { holdsBack } from "./kept.ts";

const read = () => ({ path: location.pathname.replace(/\/+$/, ""), query: new URLSearchParams(location.search) });

export const place = signal(read());

/** `/console/calls/req_1` is of the page `calls`. */
const section = (): string | undefined => place.value.path.split("/")[2];

/** Goes there; `replace` leaves no step to go back to. What opens beside a list leaves it where it is. */
export const go = (address: string, replace = false): void => {
	const before = section();
	if (replace) history.replaceState(null, "", address);
	else history.pushState(null, "", address);
	place.value = read();
	if (section() !== before) scrollTo(0, 0);
	// What was pressed may be gone with what it led from.
	setTimeout(() => focusIsLost() && focusHeading());
};

const address = (path: string, query: URLSearchParams): string => {
	const text = query.toString();
	return `${path}${text === "" ? "" : `?${text}`}`;
};

/** The same page with other words in its query; empty ones are left out. With `step` the way back leads to what was shown before. */
export const setQuery = (words: Readonly<Record<string, string | undefined>>, step = false): void => {
	const query = new URLSearchParams(place.value.query);
	for (const [key, value] of Object.entries(words)) {
		if (value === undefined || value === "") query.delete(key);
		else query.set(key, value);
	}
	go(address(place.value.path, query), !step);
};

const isOurs = (event: MouseEvent, link: HTMLAnchorElement): boolean =>
	event.button === 0 &&
	!(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.defaultPrevented) &&
	link.origin === location.origin &&
	link.target === "" &&
	!link.hasAttribute("download") &&
	/^\/console(?:\/|$)/.test(link.pathname);

/** What the address names within its page, such as the id of the row that is open: `/console/calls/req_1`. */
export const openRow = (): string | undefined => {
	const word = place.value.path.split("/")[3];
	try {
		return word && decodeURIComponent(word);
	} catch {
		// Mistyped; the server says that there is no such thing.
		return word;
	}
};

/** Follows links inside the console without loading the page anew. */
export const followLinks = (): void => {
	addEventListener("popstate", () => {
		if (holdsBack()) history.pushState(null, "", address(place.value.path, place.value.query));
		else place.value = read();
	});
	document.addEventListener("click", (event) => {
		const link = event.target instanceof Element ? event.target.closest("a") : null;
		if (link?.hash !== "" || !isOurs(event, link)) return;
		event.preventDefault();
		go(link.pathname + link.search);
	});
};
