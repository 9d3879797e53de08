/** Says that the server is still asked, where it takes longer than a blink. */
import { useEffect, useState } from "preact/hooks";
import { waiting } from "../data/waiting.ts";

const patienceMs = 800;

export const Waiting = () => {
	const [long, setLong] = useState(false);
	const some = waiting.value > 0;
	useEffect(() => {
		if (!some) return;
		const timer = setTimeout(() => setLong(true), patienceMs);
		return () => {
			clearTimeout(timer);
			setLong(false);
		};
	}, [some]);
	return (
		<p class="quiet" role="status">
			{long && "Waiting for the server …"}
		</p>
	);
};
