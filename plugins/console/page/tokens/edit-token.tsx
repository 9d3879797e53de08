/** Changes a token's name and settings. */
import { useEffect, useState } from "preact/hooks";
import { call } from "../data/call.ts";
import { useKept } from "../data/kept.ts";
import { useAction } from "../data/use-action.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Failure } from "../parts/failure.tsx";
import { settingsIn } from "./settings.ts";
import type { Token } from "./token.ts";
import { bodyOf, draftOf, type TokenDraft, TokenForm } from "./token-form.tsx";

interface EditTokenProps {
	readonly token: Token;
	readonly path: string;
	readonly cancel: () => void;
	readonly saved: () => void;
}

export const EditToken = ({ token, path, cancel, saved }: EditTokenProps) => {
	const schema = useAnswer("/admin/tokens/schema", false);
	const [draft, setDraft] = useState<TokenDraft>();
	const [written, setWritten] = useState(false);
	useKept(written);
	const { busy, failure, run } = useAction();
	const settings = schema.data ? settingsIn(schema.data) : [];
	useEffect(() => {
		if (schema.data && !draft) setDraft(draftOf(token.name, settings, token.settings));
	});
	const submit = (event: Event) => {
		event.preventDefault();
		if (!draft) return;
		// A setting that was there and is empty now is taken away.
		const gone = Object.fromEntries(
			settings.filter(({ key }) => token.settings[key] !== undefined).map(({ key }) => [key, null]),
		);
		run(async () => {
			await call("PATCH", path, { ...gone, ...bodyOf(settings, draft) });
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
			<div class="bottom">
				<Failure failure={failure ?? schema.failure} />
				<button type="button" onClick={cancel}>
					Cancel
				</button>
				<button type="submit" class="first" disabled={busy || !draft}>
					Save
				</button>
			</div>
		</form>
	);
};
