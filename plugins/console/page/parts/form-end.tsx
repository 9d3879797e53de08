/** The bottom of a sheet that is a form: why it was refused, the way out, and the button that sends it. */
import type { Refusal } from "../data/call.ts";
import { Failure } from "./failure.tsx";

interface FormEndProps {
	readonly failure: Refusal | undefined;
	/** What leaves the form, and the word for that. */
	readonly close: () => void;
	readonly closing: "Cancel" | "Close";
	readonly sending: string;
	/** It cannot be sent now. */
	readonly busy: boolean;
}

export const FormEnd = ({ failure, close, closing, sending, busy }: FormEndProps) => (
	<div class="bottom">
		<Failure failure={failure} />
		<button type="button" onClick={close}>
			{closing}
		</button>
		<button type="submit" class="first" disabled={busy}>
			{sending}
		</button>
	</div>
);
