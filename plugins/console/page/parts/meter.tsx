/** How much of an amount is used, as a line that fills. */
import { dollars } from "../data/format.ts";
import type { Tone } from "./state.tsx";

/** From this part on it is nearly used up. */
export const nearly = 0.9;

/** What part is used: of nothing, all. */
export const partOf = (used: number, amount: number): number => (amount === 0 ? 1 : Math.min(1, used / amount));

/** How it looks when this part is used. */
const toneOf = (part: number): Tone => (part >= 1 ? "stop" : part >= nearly ? "warn" : "good");

interface MeterProps {
	readonly used: number;
	readonly of: string;
	/** Undefined where there is no limit: no line is drawn. */
	readonly part: number | undefined;
}

export const Meter = ({ used, of, part }: MeterProps) => (
	<div class="meter">
		<span>
			{dollars(used)}
			<em>{of}</em>
		</span>
		{part !== undefined && <i class={`line ${toneOf(part)}`} style={{ "--part": `${(part * 100).toFixed(1)}%` }} />}
	</div>
);
