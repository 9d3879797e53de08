/** How many questions of what is on the screen the server has not answered yet: who sees nothing is told that it comes. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export const waiting = signal(0);

/** While `when`: something is missing until the server answers. */
export const useWaiting = (when: boolean): void =>
	useEffect(() => {
		if (!when) return;
		waiting.value++;
		return () => void waiting.value--;
	}, [when]);
