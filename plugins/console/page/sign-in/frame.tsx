/** The frame of the pages that are shown before somebody is signed in. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useArrival } from "../data/focus.ts";
import { Mark } from "../parts/mark.tsx";

interface GateProps {
	readonly title: string;
	readonly words?: ComponentChildren;
	readonly children: ComponentChildren;
}

export const Frame = ({ title, words, children }: GateProps) => {
	useArrival();
	useEffect(() => {
		document.title = `${title} · Portico`;
	}, [title]);
	return (
		<main class="gate">
			<div class="brand">
				<Mark />
				Portico
			</div>
			<div>
				<h1>{title}</h1>
				{words && <p class="quiet">{words}</p>}
			</div>
			{children}
		</main>
	);
};
