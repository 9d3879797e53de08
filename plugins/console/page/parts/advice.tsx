/** What the server says is to be done. */
import type { ComponentChildren } from "preact";

interface AdviceProps {
	readonly advice: string | undefined;
	readonly children?: ComponentChildren;
}

/** What stands between backticks is code. */
export const withCode = (words: string): ComponentChildren =>
	words.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));

export const Advice = ({ advice, children }: AdviceProps) =>
	advice ? (
		<div class="notice warn">
			<b>What to do:</b> {withCode(advice)}
			{children}
		</div>
	) : null;
