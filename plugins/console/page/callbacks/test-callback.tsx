/** Sends a callback that tells nothing, to see whether an address takes it. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { seconds } from "../data/format.ts";
import { useKept } from "../data/kept.ts";
import { number, type Wire } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { State } from "../parts/state.tsx";
import { outcomeOf } from "./delivery.ts";

const Outcome = ({ answer }: { readonly answer: Wire }) => {
	const delivered = answer["delivered"] === true;
	return (
		<p aria-live="polite">
			<State tone={delivered ? "good" : "stop"}>{delivered ? "Delivered" : "Not delivered"}</State>{" "}
			<span class="quiet">
				{outcomeOf(answer)}, {seconds(number(answer, "duration_ms") ?? 0)}
			</span>
		</p>
	);
};

export const TestCallback = ({ close }: { readonly close: () => void }) => {
	const [url, setUrl] = useState("");
	const [answer, setAnswer] = useState<Wire>();
	const { busy, failure, run } = useAction();
	useKept(url !== "");
	const submit = (event: Event) => {
		event.preventDefault();
		setAnswer(undefined);
		run(async () => setAnswer(await call("POST", "/admin/webhooks/test", { url: url.trim() })));
	};
	return (
		<Dialog
			title="Test an address"
			words="Sends one callback that tells nothing, as any other is sent: status 200 within 5 seconds is delivered."
			close={close}
		>
			<form onSubmit={submit}>
				<div class="inside">
					<Field label="Address" value={url} change={setUrl} placeholder="https://" autofocus required />
					{answer && <Outcome answer={answer} />}
				</div>
				<FormEnd failure={failure} close={close} closing="Close" sending="Send" busy={busy} />
			</form>
		</Dialog>
	);
};
