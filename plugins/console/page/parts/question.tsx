/** Asks once more before something is done at once that others feel. */
import type { ComponentChildren } from "preact";
import { firstClick } from "../data/first-click.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

interface QuestionProps {
	readonly title: string;
	/** What becomes of it. */
	readonly children: ComponentChildren;
	/** On the button that does it. */
	readonly yes: string;
	readonly act: () => Promise<void>;
	readonly close: () => void;
}

export const Question = ({ title, children, yes, act, close }: QuestionProps) => {
	const { busy, failure, run } = useAction();
	return (
		<Dialog title={title} close={close}>
			<div class="inside">{children}</div>
			<div class="bottom">
				<Failure failure={failure} />
				<button type="button" onClick={close}>
					Cancel
				</button>
				<button
					type="button"
					class="grave"
					disabled={busy}
					onClick={firstClick(() =>
						run(async () => {
							await act();
							close();
						}),
					)}
				>
					{yes}
				</button>
			</div>
		</Dialog>
	);
};
