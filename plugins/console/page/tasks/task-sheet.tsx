/** One task: its states, its result or why it failed, and the callbacks that told of it. */

import { deliveryOf } from "../callbacks/delivery.ts";
import { DeliveryState } from "../callbacks/delivery-state.tsx";
import { exact } from "../data/format.ts";
import { wires } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { useTokenNames } from "../data/token-names.ts";
import { useAnswer, watchedMs } from "../data/use-answer.ts";
import { Advice } from "../parts/advice.tsx";
import { Closing } from "../parts/closing.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { State } from "../parts/state.tsx";
import { statuses, taskOf } from "./task.ts";

interface TaskSheetProps {
	readonly id: string;
	readonly close: () => void;
}

export const TaskSheet = ({ id, close }: TaskSheetProps) => {
	const { data, failure } = useAnswer(`/admin/tasks/${encodeURIComponent(id)}`, watchedMs);
	const task = data && taskOf(data);
	const tokenName = useTokenNames();
	const deliveries = useAnswer(
		isAdmin() ? `/admin/deliveries?task=${encodeURIComponent(id)}&limit=20` : undefined,
	).data;
	const [word, tone] = statuses[task?.status ?? ""] ?? [task?.status ?? "", "off"];
	const at = (when: number | undefined) => (when === undefined ? "–" : exact(when));
	return (
		<Dialog sheet title={task ? `A task of kind ${task.kind}` : "A task"} words={<code>{id}</code>} close={close}>
			<div class="inside">
				<Failure failure={failure} />
				{task && (
					<>
						<Advice advice={task.advice} />
						<p dir="auto">{task.prompt}</p>
						<dl class="facts">
							<dt>State</dt>
							<dd>
								<State tone={tone}>{word}</State>{" "}
								{task.status === "IN_PROGRESS" && task.progress && `${task.progress} %`}
								{task.failure && <small>{task.failure}</small>}
								{task.standing && <small>{task.standing}</small>}
							</dd>
							<dt>Model</dt>
							<dd>
								<code>{task.model}</code>
							</dd>
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
						{deliveries && wires(deliveries, "data").length > 0 && (
							<>
								<h3>Its callbacks</h3>
								<ul class="steps">
									{wires(deliveries, "data")
										.map(deliveryOf)
										.map((delivery) => (
											<li key={delivery.id}>
												<a href={`/console/callbacks/${delivery.id}`}>{delivery.event}</a>{" "}
												<DeliveryState delivery={delivery} />
											</li>
										))}
								</ul>
							</>
						)}
					</>
				)}
			</div>
			<Closing close={close} />
		</Dialog>
	);
};
