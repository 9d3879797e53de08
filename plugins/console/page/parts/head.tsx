/** A page's head: its name, what it is for in a sentence, and what can be done. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useArrival } from "../data/focus.ts";

interface HeadProps {
	readonly title: string;
	readonly children?: ComponentChildren;
	readonly acts?: ComponentChildren;
}

export const Head = ({ title, children, acts }: HeadProps) => {
	const heading = useRef<HTMLHeadingElement>(null);
	useArrival(heading);
	useEffect(() => {
		document.title = `${title} · Portico`;
	}, [title]);
	return (
		<div class="head">
			<div>
				<h1 tabIndex={-1} ref={heading}>
					{title}
				</h1>
				<p>{children}</p>
			</div>
			{acts && <div class="acts">{acts}</div>}
		</div>
	);
};
