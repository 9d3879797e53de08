/** Targets in the order in which they would be tried, and what would refuse the call. */
import { whyInWords } from "../calls/why.ts";
import { asWire, text, type Wire, wires } from "../data/read.ts";

const target = (wire: Wire): string => [text(wire, "upstream"), text(wire, "model")].filter(Boolean).join(" ");

/** What the token's rules say against the call. */
const refusals = (token: Wire): readonly string[] => [
	...(token["denial"] ? [text(asWire(token["denial"]), "message") ?? "the token is refused"] : []),
	...wires(token, "policies").flatMap((policy) => {
		const message = text(asWire(policy["denial"]), "message");
		return message === undefined ? [] : [`${text(policy, "policy")}: ${message}`];
	}),
];

export const DryRunAnswer = ({ answer }: { readonly answer: Wire }) => {
	const token = asWire(answer["token"]);
	const refused = refusals(token);
	return (
		<ol class="steps" aria-live="polite">
			{text(token, "name") !== undefined && refused.length === 0 && (
				<li class="good">The token {text(token, "name")} is let through</li>
			)}
			{refused.map((words) => (
				<li class="bad" key={words}>
					Refused by {words}
				</li>
			))}
			{wires(answer, "targets").map((one, index) => (
				<li class={index === 0 ? "good" : ""} key={target(one)}>
					{index === 0 ? "First to " : "Then to "}
					<b>{target(one)}</b>
					{text(one, "why") && <small>{whyInWords(text(one, "why") ?? "")}</small>}
				</li>
			))}
			{wires(answer, "skipped").map((one) => (
				<li key={target(one)}>
					<small>
						Passed over {target(one)}: {text(one, "reason")}
					</small>
				</li>
			))}
		</ol>
	);
};
