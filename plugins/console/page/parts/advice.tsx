/** What the server says is to be done. */
import type { ComponentChildren } from "preact";

interface AdviceProps {
	readonly advice: string | undefined;
	readonly children?: ComponentChildren;
}

export const Advice = ({ advice, children }: AdviceProps) =>
	advice ? (
		<div class="notice warn">
			<b>What to do:</b> {advice}
			{children}
		</div>
	) : null;
