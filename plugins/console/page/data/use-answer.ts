/** An answer of the server that a component shows, asked again every few seconds while the page is looked at. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { call, Refusal } from "./call.ts";
import type { Wire } from "./read.ts";
import { forget } from "./session.ts";

export interface Answer {
	/** The last good answer, kept while a later one fails. */
	readonly data: Wire | undefined;
	readonly failure: Refusal | undefined;
	reload(): void;
}

const everyMs = 10_000;

/** For one thing that somebody watches while it changes. */
export const watchedMs = 2_000;

/** Without a path nothing is asked. `again` false: asked once; a number: after so many milliseconds each time. */
export const useAnswer = (path: string | undefined, again: boolean | number = true): Answer => {
	const [answer, setAnswer] = useState<{ path?: string | undefined; data?: Wire; failure?: Refusal }>({});
	const asked = useRef(0);

	const load = useCallback(async () => {
		if (path === undefined) return;
		const turn = ++asked.current;
		try {
			const data = await call("GET", path);
			if (turn === asked.current) setAnswer({ path, data });
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			if (error.status === 401) forget();
			else if (turn === asked.current) setAnswer((last) => ({ ...(last.path === path && last), path, failure: error }));
		}
	}, [path]);

	useEffect(() => {
		void load();
		const look = () => {
			if (again !== false && document.visibilityState === "visible") void load();
		};
		const timer = setInterval(look, typeof again === "number" ? again : everyMs);
		document.addEventListener("visibilitychange", look);
		return () => {
			asked.current++;
			clearInterval(timer);
			document.removeEventListener("visibilitychange", look);
		};
	}, [load, again]);

	const current = answer.path === path;
	return {
		data: current ? answer.data : undefined,
		failure: current ? answer.failure : undefined,
		reload: () => void load(),
	};
};
