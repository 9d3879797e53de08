/** What is known of a task: where it stands, who asked, what came of it. */
import { exact } from "../data/format.ts";
import { useTokenNames } from "../data/token-names.ts";
import { State } from "../parts/state.tsx";
import { statuses, type Task } from "./task.ts";

const at = (when: number | undefined): string => (when === undefined ? "–" : exact(when));

export const TaskFacts = ({ task }: { readonly task: Task }) => {
	const tokenName = useTokenNames();
	const [word, tone] = statuses[task.status] ?? [task.status, "off"];
	return (
		<dl class="facts">
			<dt>State</dt>
			<dd>
				<State tone={tone}>{word}</State> {task.status === "IN_PROGRESS" && task.progress && `${task.progress} %`}
				{task.code && <small>{task.code}</small>}
				{task.failure && <small>The client was told: {task.failure}</small>}
				{task.standing && <small>{task.standing}</small>}
			</dd>
			<dt>Model</dt>
			<dd>
				<code>{task.model}</code>
			</dd>
			{task.upstream && <dt>Upstream</dt>}
			{task.upstream && <dd>{task.upstream}</dd>}
			<dt>Token</dt>
			<dd>{task.token ? <a href={`/console/tokens/${task.token}`}>{tokenName(task.token)}</a> : "–"}</dd>
			<dt>Submitted</dt>
			<dd>{at(task.submittedAt)}</dd>
			<dt>Started</dt>
			<dd>{at(task.startedAt)}</dd>
			<dt>Finished</dt>
			<dd>{at(task.finishedAt)}</dd>
			<dt>Callback</dt>
			<dd>{task.callbackUrl ?? "none was asked for"}</dd>
			<dt>Result</dt>
			<dd>
				{task.files.length === 0 && "–"}
				{task.files.map(({ role, url }, index) => (
					<>
						<a key={url} href={url} target="_blank" rel="noreferrer">
							{task.files.length === 1 ? role : `${role} ${index + 1}`}
						</a>{" "}
					</>
				))}
			</dd>
		</dl>
	);
};
