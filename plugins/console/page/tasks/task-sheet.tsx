/** One task: its states, its result or why it failed, and the callbacks that told of it. */

import { type Delivery, deliveryOf, lastOutcome } from "../callbacks/delivery.ts";
import { DeliveryState } from "../callbacks/delivery-state.tsx";
import { wires } from "../data/read.ts";
import { useAnswer, watchedMs } from "../data/use-answer.ts";
import { Advice } from "../parts/advice.tsx";
import { Closing } from "../parts/closing.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { taskOf } from "./task.ts";
import { TaskFacts } from "./task-facts.tsx";

interface TaskSheetProps {
	readonly id: string;
	readonly close: () => void;
}

const wayOf = ({ status }: Delivery): string | undefined => {
	if (status === "delivered") return "good";
	return status === "dead" ? "bad" : undefined;
};

export const TaskSheet = ({ id, close }: TaskSheetProps) => {
	const { data, failure } = useAnswer(`/admin/tasks/${encodeURIComponent(id)}`, watchedMs);
	const task = data && taskOf(data);
	const deliveries = useAnswer(`/admin/deliveries?task=${encodeURIComponent(id)}&limit=20`).data;
	return (
		<Dialog sheet title={task ? `A task of kind ${task.kind}` : "A task"} words={<code>{id}</code>} close={close}>
			<div class="inside">
				<Failure failure={failure} />
				{task && (
					<>
						<Advice advice={task.advice} />
						<p dir="auto">{task.prompt}</p>
						<TaskFacts task={task} />
						{deliveries && wires(deliveries, "data").length > 0 && (
							<>
								<h3>Its callbacks</h3>
								<ul class="steps">
									{wires(deliveries, "data")
										.map(deliveryOf)
										.map((delivery) => (
											<li key={delivery.id} class={wayOf(delivery)}>
												<a href={`/console/callbacks/${encodeURIComponent(delivery.id)}`}>{delivery.event}</a>{" "}
												<DeliveryState delivery={delivery} />
												{delivery.status !== "delivered" && <small>{lastOutcome(delivery)}</small>}
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
