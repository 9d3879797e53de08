/** Shows a key, once. Nothing keeps it but this dialog, and what closes it says that it was copied. */
import { useRef } from "preact/hooks";
import { firstClick } from "../data/first-click.ts";
import { useKept } from "../data/kept.ts";
import { text, type Wire } from "../data/read.ts";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { limitsOf } from "./limits.ts";
import { tokenOf } from "./token.ts";
import { UseItIn } from "./use-it-in.tsx";

interface KeyDialogProps {
	/** What creating or rotating answered. */
	readonly answer: Wire;
	readonly done: () => void;
}

export const KeyDialog = ({ answer, done }: KeyDialogProps) => {
	const token = tokenOf(answer);
	const key = text(answer, "key") ?? "";
	const shown = useRef<HTMLElement>(null);
	useKept(true);
	return (
		<Dialog
			title={`Copy the key of “${token.name}”`}
			words="This is the only time it is shown. Portico keeps no copy; if it is lost, rotate the token."
		>
			<div class="inside">
				<div class="key">
					<code ref={shown}>{key}</code>
					<Copy text={key} shown={() => shown.current} first autofocus />
				</div>
				<UseItIn model={token.models.find((model) => !model.includes("*"))} />
			</div>
			<div class="bottom">
				<span>{limitsOf(token)}</span>
				<button type="button" onClick={firstClick(done)}>
					I have copied it
				</button>
			</div>
		</Dialog>
	);
};
