/** One callback with every attempt. */
import { call } from "../data/call.ts";
import { exact, seconds } from "../data/format.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer, watchedMs } from "../data/use-answer.ts";
import { Advice } from "../parts/advice.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { Moment } from "../parts/moment.tsx";
import { About } from "./about.tsx";
import { type DeliveryAttempt, deliveryOf } from "./delivery.ts";
import { DeliveryState } from "./delivery-state.tsx";

interface DeliverySheetProps {
	readonly id: string;
	readonly close: () => void;
	readonly changed: () => void;
}

const Attempt = ({ attempt }: { readonly attempt: DeliveryAttempt }) => (
	<li class={attempt.good ? "good" : "bad"}>
		{attempt.outcome}
		{attempt.durationMs !== undefined && `, ${seconds(attempt.durationMs)}`}
		<small>
			{attempt.at === undefined ? "" : exact(attempt.at)}
			{attempt.byHand && ", by hand"}
		</small>
	</li>
);

export const DeliverySheet = ({ id, close, changed }: DeliverySheetProps) => {
	const path = `/admin/deliveries/${encodeURIComponent(id)}`;
	const { data, failure, reload } = useAnswer(path, watchedMs);
	const delivery = data && deliveryOf(data);
	const { busy, failure: refused, run } = useAction();
	const redeliver = () =>
		run(async () => {
			await call("POST", `${path}/redeliver`);
			reload();
			changed();
		});
	return (
		<Dialog sheet title={delivery?.event ?? "A callback"} words={<code>{id}</code>} close={close}>
			<div class="inside">
				<Failure failure={failure} />
				{delivery && (
					<>
						<Advice advice={delivery.advice} />
						<dl class="facts">
							<dt>State</dt>
							<dd>
								<DeliveryState delivery={delivery} />
							</dd>
							<dt>Address</dt>
							<dd>{delivery.url}</dd>
							<About delivery={delivery} />
							<dt>Made</dt>
							<dd>
								<Moment at={delivery.createdAt} />
							</dd>
							<dt>Next try</dt>
							<dd>
								<Moment at={delivery.nextAt} never="none" />
							</dd>
						</dl>
						<h3>Attempts</h3>
						<ol class="steps">
							{delivery.attempts.map((attempt) => (
								<Attempt key={attempt.at} attempt={attempt} />
							))}
						</ol>
						{delivery.attempts.length === 0 && <p class="quiet">Not tried yet.</p>}
					</>
				)}
			</div>
			<div class="bottom">
				<Failure failure={refused} />
				{delivery && (
					<button type="button" disabled={busy || delivery.status === "sending"} onClick={redeliver}>
						Send again
					</button>
				)}
				<button type="button" onClick={close}>
					Close
				</button>
			</div>
		</Dialog>
	);
};
