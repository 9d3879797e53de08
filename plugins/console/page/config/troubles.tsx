/** What is wrong with the server itself, for as long as it lasts. */
import { number, text, time, type Wire, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";

/** Whose trouble it is, where not every worker has it. */
const ofWorkers = (trouble: Wire, all: number): string => {
	const some = trouble["workers"];
	return Array.isArray(some) ? `Of worker ${some.map(String).join(", ")} of ${all}, since` : "Since";
};

export const Troubles = () => {
	const { data, failure } = useAnswer("/admin/troubles");
	const troubles = data ? wires(data, "data") : [];
	return (
		<>
			<Failure failure={failure} />
			{troubles.map((trouble) => (
				<div class="notice stop" role="status" key={text(trouble, "message")}>
					{text(trouble, "message")}
					<small>
						{ofWorkers(trouble, (data && number(data, "workers")) ?? 1)} <Moment at={time(trouble, "since")} />
					</small>
					<b>What to do:</b> {text(trouble, "advice")}
				</div>
			))}
		</>
	);
};
