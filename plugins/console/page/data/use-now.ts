/** The time, moving on while the page stays open. */
import { useEffect, useState } from "preact/hooks";

const everyMs = 60_000;

export const useNow = (): number => {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), everyMs);
		return () => clearInterval(timer);
	}, []);
	return now;
};
