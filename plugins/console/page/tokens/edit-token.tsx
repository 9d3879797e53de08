/** Changes a token's name and settings. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { useKept } from "../data/kept.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer } from "../data/use-answer.ts";
import { FormEnd } from "../parts/form-end.tsx";
import { settingsIn } from "./settings.ts";
import type { Token } from "./token.ts";
import { bodyOf, draftOf, type TokenDraft, TokenForm } from "./token-form.tsx";

interface EditTokenProps {
	readonly token: Token;
	readonly path: string;
	readonly cancel: () => void;
	readonly saved: () => void;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Only what was changed here: what somebody else changed meanwhile stays. A setting that was there and is empty now is taken
 * away.
 */
const changesOf = (before: Fields, after: Fields): Fields =>
	Object.fromEntries(
		[...new Set([...Object.keys(before), ...Object.keys(after)])]
			.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
			.map((key) => [key, after[key] ?? null]),
	);

export const EditToken = ({ token, path, cancel, saved }: EditTokenProps) => {
	const schema = useAnswer("/admin/tokens/schema", false);
	/** As it was when the form was opened. */
	const [before, setBefore] = useState<TokenDraft>();
	const [draft, setDraft] = useState<TokenDraft>();
	const [written, setWritten] = useState(false);
	useKept(written);
	const { busy, failure, run } = useAction();
	const settings = schema.data ? settingsIn(schema.data) : [];
	useEffect(() => {
		if (!schema.data || draft) return;
		const first = draftOf(token.name, settings, token.settings);
		setBefore(first);
		setDraft(first);
	});
	const submit = (event: Event) => {
		event.preventDefault();
		if (!before || !draft) return;
		run(async () => {
			await call("PATCH", path, changesOf(bodyOf(settings, before), bodyOf(settings, draft)));
			saved();
		});
	};
	return (
		<form onSubmit={submit} autocomplete="off">
			{draft && (
				<TokenForm
					settings={settings}
					draft={draft}
					change={(next) => {
						setWritten(true);
						setDraft(next);
					}}
				/>
			)}
			<FormEnd
				failure={failure ?? schema.failure}
				close={cancel}
				closing="Cancel"
				sending="Save"
				busy={busy || !draft}
			/>
		</form>
	);
};
