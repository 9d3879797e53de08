/** Text to be copied as it stands. */
import { useRef } from "preact/hooks";
import { Copy } from "./copy.tsx";

/** What stands for the key in such texts: no page keeps one, and texts are pasted into chats. */
const variable = "$PORTICO_KEY";

export const Code = ({ text, label }: { readonly text: string; readonly label: string }) => {
	const element = useRef<HTMLPreElement>(null);
	return (
		<div class="code">
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
			<section tabIndex={0} aria-label={label}>
				<pre ref={element}>{text}</pre>
			</section>
			<Copy text={text} shown={() => element.current} />
			{text.includes(variable) && (
				<small class="quiet">
					Put the key in the place of <code>{variable}</code>, or in a shell <code>export PORTICO_KEY=…</code> first.
				</small>
			)}
		</div>
	);
};
