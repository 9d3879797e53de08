/** A page's head: its name, what it is for in a sentence, and what can be done. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface HeadProps {
	readonly title: string;
	readonly children?: ComponentChildren;
	readonly acts?: ComponentChildren;
}

export const Head = ({ title, children, acts }: HeadProps) => {
	const heading = useRef<HTMLHeadingElement>(null);
	// Who follows a link to another page begins at its heading, as after a load; it may have come a while after the link was followed.
	useLayoutEffect(() => {
		if (document.activeElement?.closest("nav")) heading.current?.focus();
	}, []);
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
