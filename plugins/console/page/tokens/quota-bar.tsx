/** What a token has used of what it may: of its quota, and of each budget that runs. */
import { dollars } from "../data/format.ts";
import { partOf, type Token, toneOf, usedPart } from "./token.ts";

interface MeterProps {
	readonly used: number;
	readonly of: string;
	/** Undefined where there is no limit: no line is drawn. */
	readonly part: number | undefined;
}

const Meter = ({ used, of, part }: MeterProps) => (
	<div class="meter">
		<span>
			{dollars(used)}
			<em>{of}</em>
		</span>
		{part !== undefined && <i class={`line ${toneOf(part)}`} style={{ "--part": `${(part * 100).toFixed(1)}%` }} />}
	</div>
);

export const QuotaBar = ({ token }: { readonly token: Token }) => {
	const { used, quota, budgets } = token;
	return (
		<div class="meters">
			{(quota !== undefined || budgets.length === 0) && (
				<Meter
					used={used}
					of={quota === undefined ? "no limit" : `of ${dollars(quota)}`}
					part={quota === undefined ? undefined : usedPart(token)}
				/>
			)}
			{budgets.map(({ amount, per, used: spent }) => (
				<Meter key={per} used={spent} of={`of ${dollars(amount)} a ${per}`} part={partOf(spent, amount)} />
			))}
		</div>
	);
};
