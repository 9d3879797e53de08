/** What is wrong with the server itself, for as long as it lasts. */
import { text, time, wires } from "../data/read.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";

export const Troubles = () => {
	const { data, failure } = useAnswer("/admin/troubles");
	const troubles = data ? wires(data, "data") : [];
	return (
		<>
			<Failure failure={failure} />
			{troubles.map((trouble) => (
				<div class="notice stop" role="status" key={text(trouble, "what")}>
					{text(trouble, "message")}
					<small>
						Since <Moment at={time(trouble, "since")} />
					</small>
					<b>What to do:</b> {text(trouble, "advice")}
				</div>
			))}
		</>
	);
};
