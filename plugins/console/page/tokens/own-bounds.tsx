/** The limits that hold for all tokens of the signed-in person: they may be why a token is refused. */
import { useId } from "preact/hooks";
import { asWire, number, wires } from "../data/read.ts";
import { isSomebody } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Spending } from "../parts/spending.tsx";

const inWords = (value: unknown): string => {
	if (Array.isArray(value)) return value.map(String).join(", ");
	return typeof value === "string" ? value : JSON.stringify(value);
};

const everyMs = 60_000;

export const OwnBounds = () => {
	const id = useId();
	const { data } = useAnswer(isSomebody() ? "/v1/session" : undefined, everyMs);
	if (!data) return null;
	const person = {
		used: number(data, "used") ?? 0,
		ceiling: number(data, "ceiling"),
		budgets: wires(data, "budgets"),
	};
	const limits = Object.entries(asWire(data["limits"]));
	const spends = person.ceiling !== undefined || person.budgets.length > 0;
	if (!spends && limits.length === 0) return null;
	return (
		<section class="panel" aria-labelledby={id}>
			<header>
				<h2 id={id}>All your tokens together</h2>
			</header>
			{spends && <Spending person={person} />}
			{limits.length > 0 && (
				<p>
					None goes beyond{" "}
					{limits.map(([key, value]) => (
						<span class="chip" key={key}>
							{key}: {inWords(value)}
						</span>
					))}
				</p>
			)}
		</section>
	);
};
