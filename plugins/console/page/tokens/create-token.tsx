/** The dialog that makes a token. */
import { useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { useKept } from "../data/kept.ts";
import type { Wire } from "../data/read.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/failure.tsx";
import { settingsIn } from "./settings.ts";
import { bodyOf, type TokenDraft, TokenForm } from "./token-form.tsx";

interface CreateTokenProps {
	readonly close: () => void;
	/** With the only answer that holds the key. */
	readonly created: (answer: Wire) => void;
}

export const CreateToken = ({ close, created }: CreateTokenProps) => {
	const schema = useAnswer("/admin/tokens/schema", false);
	const [draft, setDraft] = useState<TokenDraft>({ name: "", written: {} });
	const { busy, failure, run } = useAction();
	const settings = schema.data ? settingsIn(schema.data) : [];
	// While it is busy the answer holds the key.
	useKept(busy || draft.name !== "" || Object.keys(draft.written).length > 0);
	const submit = (event: Event) => {
		event.preventDefault();
		run(async () => created(await call("POST", "/admin/tokens", bodyOf(settings, draft))));
	};
	return (
		<Dialog title="Create a token" words="What is left empty is not limited." close={busy ? undefined : close}>
			<form onSubmit={submit} autocomplete="off">
				{/* The name can be written at once, by whoever writes on after pressing C; the other fields come with the schema. */}
				<TokenForm settings={settings} draft={draft} change={setDraft} />
				<div class="bottom">
					<Failure failure={failure ?? schema.failure} />
					<button type="button" disabled={busy} onClick={close}>
						Cancel
					</button>
					<button type="submit" class="first" disabled={busy || !schema.data}>
						Create
					</button>
				</div>
			</form>
		</Dialog>
	);
};
