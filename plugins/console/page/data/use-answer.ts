/** An answer of the server that a component shows, asked again every few seconds while the page is looked at. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, Refusal } from "./call.ts";
import type { Wire } from "./read.ts";
import { forget, sessionOver } from "./session.ts";
import { useWaiting } from "./waiting.ts";

interface Answer {
	/** The last good answer, kept while a later one fails. */
	readonly data: Wire | undefined;
	readonly failure: Refusal | undefined;
	reload(): void;
}

const everyMs = 10_000;

/** For one thing that somebody watches while it changes. */
export const watchedMs = 2_000;

const answerOf = async (path: string): Promise<Wire | Refusal> => {
	try {
		return await call("GET", path);
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
};

/**
 * Without a path nothing is asked. `again` false: asked until it is answered once; a number: after so many milliseconds each time.
 * What is asked already is waited for, however slow: a server that takes longer than the interval would never be heard otherwise.
 * `asked` says what is asked in place of the path, where that moves on with the time.
 */
export const useAnswer = (path: string | undefined, again: boolean | number = true, asked?: () => string): Answer => {
	const [answer, setAnswer] = useState<{ path?: string | undefined; data?: Wire; failure?: Refusal }>({});
	const turns = useRef(0);
	const state = useRef<"new" | "waiting" | "good" | "bad">("new");
	const latest = useRef({ path, asked });
	latest.current = { path, asked };
	/** Nobody is there to ask; as soon as the person is back it is asked anew. */
	const over = sessionOver.value;

	const load = useCallback(async () => {
		const { path, asked } = latest.current;
		if (path === undefined) return;
		const turn = ++turns.current;
		state.current = "waiting";
		const got = await answerOf(asked?.() ?? path);
		if (turn !== turns.current) return;
		state.current = got instanceof Refusal ? "bad" : "good";
		if (!(got instanceof Refusal)) setAnswer({ path, data: got });
		else if (got.status === 401) forget();
		else setAnswer((last) => ({ ...(last.path === path && last), path, failure: got }));
	}, []);

	useEffect(() => {
		if (over) return;
		void load();
		const look = () => {
			const due = again === false ? state.current === "bad" : state.current !== "waiting";
			if (due && document.visibilityState === "visible") void load();
		};
		const timer = setInterval(look, typeof again === "number" ? again : everyMs);
		document.addEventListener("visibilitychange", look);
		return () => {
			turns.current++;
			clearInterval(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [path, load, again, over]);

	const current = answer.path === path;
	useWaiting(path !== undefined && !over && !(current && (answer.data !== undefined || answer.failure !== undefined)));
	return {
		data: current ? answer.data : undefined,
		failure: current ? answer.failure : undefined,
		reload: () => void load(),
	};
};
