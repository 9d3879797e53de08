/** One call explained: who asked, what was tried and why, what it cost, what to do. */
import { useAnswer } from "../data/use-answer.ts";
import { Code } from "../parts/code.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Advice } from "./advice.tsx";
import { Arithmetic } from "./arithmetic.tsx";
import { AttemptSteps } from "./attempt-steps.tsx";
import { CallFacts } from "./call-facts.tsx";
import { callOf } from "./call-record.ts";
import { curlFor } from "./curl.ts";

export const CallSheet = ({ id, close }: { readonly id: string; readonly close: () => void }) => {
	const { data, failure } = useAnswer(`/admin/calls/${encodeURIComponent(id)}`, false);
	const call = data && callOf(data);
	return (
		<Dialog sheet title={call?.model ? `A call for ${call.model}` : "A call"} words={<code>{id}</code>} close={close}>
			<div class="inside">
				<Failure failure={failure} />
				{call && (
					<>
						<Advice call={call} />
						<CallFacts call={call} />
						<Arithmetic call={call} />
						<h3>What was tried</h3>
						<AttemptSteps call={call} />
						<h3>The same again</h3>
						<Code label="As curl" text={curlFor(location.origin, call)} />
					</>
				)}
			</div>
			<div class="bottom">
				<button type="button" onClick={close}>
					Close
				</button>
			</div>
		</Dialog>
	);
};
