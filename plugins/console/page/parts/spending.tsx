/** What all tokens of a person have spent together of what they may. */
import { dollars } from "../data/format.ts";
import { number, text, type Wire } from "../data/read.ts";
import { Meter, partOf } from "./meter.tsx";

interface Spender {
	readonly used: number;
	/** Dollars. */
	readonly ceiling: number | undefined;
	/** Each as it was set, with what is left of it. */
	readonly budgets: readonly Wire[];
}

/** What may be spent now. What is left counts a boost; once nothing is, more may be spent than the amount, which was lowered since. */
const limitOf = (budget: Wire, spent: number): number => {
	const left = number(budget, "remaining") ?? 0;
	return left === 0 && budget["boost"] === undefined ? (number(budget, "amount") ?? spent) : spent + left;
};

export const Spending = ({ person: { used, ceiling, budgets } }: { readonly person: Spender }) => {
	const limited = ceiling !== undefined || budgets.length > 0;
	return (
		<div class="meters">
			{!limited && <Meter used={used} of="no limit" part={undefined} />}
			{ceiling !== undefined && <Meter used={used} of={`of ${dollars(ceiling)} in all`} part={partOf(used, ceiling)} />}
			{budgets.map((budget) => {
				const spent = number(budget, "used") ?? 0;
				const limit = limitOf(budget, spent);
				const per = text(budget, "per") ?? "";
				return <Meter key={per} used={spent} of={`of ${dollars(limit)} a ${per}`} part={partOf(spent, limit)} />;
			})}
		</div>
	);
};
