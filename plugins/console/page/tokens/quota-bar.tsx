/** What a token has used of what it may: of its quota, and of each budget of its own that runs. */
import { dollars } from "../data/format.ts";
import { Meter, partOf } from "../parts/meter.tsx";
import { ownBudgets, type Token, usedPart } from "./token.ts";

export const QuotaBar = ({ token }: { readonly token: Token }) => {
	const { used, quota } = token;
	const budgets = ownBudgets(token);
	return (
		<div class="meters">
			{(quota !== undefined || budgets.length === 0) && (
				<Meter
					used={used}
					of={quota === undefined ? "no limit" : `of ${dollars(quota)}${budgets.length > 0 ? " in all" : ""}`}
					part={quota === undefined ? undefined : usedPart(token)}
				/>
			)}
			{budgets.map(({ amount, per, used: spent }) => (
				<Meter key={per} used={spent} of={`of ${dollars(amount)} a ${per}`} part={partOf(spent, amount)} />
			))}
		</div>
	);
};
