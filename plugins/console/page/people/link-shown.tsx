/** The link of an invitation, in the only place that has it. */
import { useRef } from "preact/hooks";
import { useKept } from "../data/kept.ts";
import { Copy } from "../parts/copy.tsx";

export const LinkShown = ({ link }: { readonly link: string }) => {
	const shown = useRef<HTMLElement>(null);
	useKept(true);
	return (
		<div class="stack">
			<div class="key">
				<code ref={shown}>{link}</code>
				<Copy text={link} shown={() => shown.current} first autofocus />
			</div>
			<p class="quiet">It works once and is not shown again. Send it to this person only.</p>
		</div>
	);
};
