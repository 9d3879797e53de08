/** Upstreams of tasks that fail, for as long as that lasts: what waits for them is told above what was asked. */
import { toMinute } from "../data/format.ts";
import { asWire, text, time } from "../data/read.ts";
import { isAdmin } from "../data/session.ts";
import { useAnswer } from "../data/use-answer.ts";
import { failingIn } from "../models/upstream.ts";

export const UnwellUpstreams = () => {
	const { data } = useAnswer(isAdmin() ? "/admin/troubles" : undefined);
	return (
		<>
			{(data ? failingIn(data, "tasks") : []).map((one) => {
				const last = asWire(one["lastFailure"]);
				const advice = text(last, "advice");
				const since = time(one, "failingSince");
				return (
					<div class="notice stop" role="status" key={text(one, "upstream")}>
						The upstream {text(one, "upstream")} fails: {text(last, "message")}
						{since !== undefined && <small>Since {toMinute(since)}</small>}
						{advice && (
							<>
								<b>What to do:</b> {advice}
							</>
						)}
					</div>
				);
			})}
		</>
	);
};
