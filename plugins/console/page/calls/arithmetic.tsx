/** How a charge comes about: tokens of each kind, what they cost, and the sum. */
import { count, dollars, microDollars } from "../data/format.ts";
import type { CallRecord } from "./call-record.ts";

export const Arithmetic = ({ call: { arithmetic, cost } }: { readonly call: CallRecord }) => {
	if (!arithmetic) return null;
	const { parts, sum, charged } = arithmetic;
	return (
		<>
			<h3>What it cost</h3>
			<table class="sums">
				<caption class="unseen">Tokens, their price, and what they cost</caption>
				<tbody>
					{parts.map(({ what, tokens, rate, cost: part }) => (
						<tr key={what}>
							<th scope="row">{what}</th>
							<td class="figure">
								{count(tokens)} × {dollars(rate)}/M
							</td>
							<td class="figure">{microDollars(part)}</td>
						</tr>
					))}
					<tr>
						<th scope="row">{charged ? "charged" : "at the prices of today"}</th>
						<td class="figure" colSpan={2}>
							{microDollars(charged ? (cost ?? sum) : sum)}
						</td>
					</tr>
				</tbody>
			</table>
			{!charged && cost !== undefined && (
				<p class="quiet">
					{microDollars(cost)} were charged: the price was another then, or a tier, a fee or the reservation came to it.
				</p>
			)}
		</>
	);
};
