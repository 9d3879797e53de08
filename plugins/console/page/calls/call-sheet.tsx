/** One call explained: who asked, what was tried and why, what it cost, what to do. */
import { useAnswer } from "../data/use-answer.ts";
import { Closing } from "../parts/closing.tsx";
import { Code } from "../parts/code.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Arithmetic } from "./arithmetic.tsx";
import { AttemptSteps } from "./attempt-steps.tsx";
import { CallAdvice } from "./call-advice.tsx";
import { CallFacts } from "./call-facts.tsx";
import { type CallRecord, callOf, isCorrection, isUntold } from "./call-record.ts";
import { curlFor } from "./curl.ts";

/** What became of it from its arrival to its end. */
const Way = ({ call }: { readonly call: CallRecord }) => {
	if (call.ending === "lease_found") return <p>The node came back: what it had not used is given back.</p>;
	if (isCorrection(call)) return null;
	if (call.protocol === "tasks")
		return (
			<p>
				<a href={`/console/tasks/${encodeURIComponent(call.id)}`}>See the task</a>
			</p>
		);
	return (
		<>
			<h3>What was tried</h3>
			<AttemptSteps call={call} />
		</>
	);
};

const titleOf = (call: CallRecord | undefined): string => {
	if (call && isCorrection(call)) return "A charge of no call";
	return call?.model ? `A call for ${call.model}` : "A call";
};

export const CallSheet = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
	const { data, failure } = useAnswer(`/admin/calls/${encodeURIComponent(id)}`, false);
	const call = data && callOf(data);
	const curl = call && !isUntold(call) && curlFor(location.origin, call);
	return (
		<Dialog sheet title={titleOf(call)} words={<code>{id}</code>} close={close}>
			<div class="inside">
				<Failure failure={failure} />
				{call && (
					<>
						<CallAdvice call={call} />
						<CallFacts call={call} />
						<Arithmetic call={call} />
						<Way call={call} />
						{curl && <h3>The same again</h3>}
						{curl && <Code label="As curl" text={curl} />}
					</>
				)}
			</div>
			<Closing close={close} />
		</Dialog>
	);
};
