/** From its arrival to its end: each attempt, why it was made, and what the vendor said. */
import { seconds } from "../data/format.ts";
import { type Attempt, type CallRecord, isUntold } from "./call-record.ts";
import { whyInWords } from "./why.ts";

const outcomeOf = (code: string | undefined): string => {
	if (code === undefined) return "answered";
	return code === "no_answer_yet" ? "had not answered yet" : `failed: ${code}`;
};

const Step = ({ attempt }: { readonly attempt: Attempt }) => {
	const { upstream, model, why, code, status, message, durationMs, skipped } = attempt;
	return (
		<>
			{skipped.map((words) => (
				<li key={words}>
					<small>Passed over {words}</small>
				</li>
			))}
			<li class={code === undefined ? "good" : "bad"}>
				<b>{upstream}</b> <code>{model}</code> {outcomeOf(code)}
				{status !== undefined && ` (${status})`}
				{durationMs !== undefined && `, ${seconds(durationMs)}`}
				{why && <small>{whyInWords(why)}</small>}
				{message && (
					<small>
						<q>{message}</q>
					</small>
				)}
			</li>
		</>
	);
};

const lastWords = (call: CallRecord): string | undefined => {
	if (call.attempts.length > 0) return undefined;
	return isUntold(call) ? "Its node went away: nobody knows which upstream was asked." : "No upstream was asked.";
};

export const AttemptSteps = ({ call }: { readonly call: CallRecord }) => (
	<ol class="steps">
		<li class={call.attempts.length === 0 && call.ending === "refused" ? "bad" : "good"}>
			Portico's own checks:{" "}
			{call.attempts.length === 0 && call.ending === "refused" ? (call.reason ?? "refused") : "passed"}
		</li>
		{call.attempts.map((attempt, index) => (
			<Step key={`${index} ${attempt.upstream}`} attempt={attempt} />
		))}
		{lastWords(call) && (
			<li>
				<small>{lastWords(call)}</small>
			</li>
		)}
	</ol>
);
