/** What must not be lost without a word: a key that is shown once, what somebody wrote. */
import { useLayoutEffect } from "preact/hooks";

/** How many components on the screen hold something that the end of a session must not take, or that nobody leaves behind unasked. */
const holding = { session: 0, leaving: 0 };

/** Whether the page must stay as it is while the person signs in anew. */
export const outlivesSession = (): boolean => holding.session > 0;

/** Whether the browser's way back must not take the page away. */
export const holdsBack = (): boolean => holding.leaving > 0;

const ask = (event: BeforeUnloadEvent): void => event.preventDefault();

/** While `when`: the end of the session leaves the page as it is, and with `leaving` the way back does too and a reload asks first. */
export const useKept = (when: boolean, leaving = true): void =>
	useLayoutEffect(() => {
		if (!when) return;
		const count = leaving ? 1 : 0;
		holding.session++;
		holding.leaving += count;
		// Only while there is something: a page that listens is not kept by the browser for the way back to it.
		if (holding.leaving > 0) addEventListener("beforeunload", ask);
		return () => {
			holding.session--;
			holding.leaving -= count;
			if (holding.leaving === 0) removeEventListener("beforeunload", ask);
		};
	}, [when, leaving]);
