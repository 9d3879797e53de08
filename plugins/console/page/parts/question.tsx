/** Asks once more before something is done at once that others feel. */
import type { ComponentChildren } from "preact";
import { firstClick } from "../data/first-click.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

interface AskedProps {
	/** What becomes of it. */
	readonly children: ComponentChildren;
	/** On the button that does it. */
	readonly yes: string;
	/** On the one that leaves it. */
	readonly no?: string;
	readonly act: () => Promise<void>;
	readonly close: () => void;
}

/** The question within a dialog that is open already. */
export const Asked = ({ children, yes, no = "Cancel", act, close }: AskedProps) => {
	const { busy, failure, run } = useAction();
	return (
		<>
			<div class="inside">{children}</div>
			<div class="bottom">
				<Failure failure={failure} />
				<button type="button" onClick={close}>
					{no}
				</button>
				<button type="button" class="grave" disabled={busy} onClick={firstClick(() => run(act))}>
					{yes}
				</button>
			</div>
		</>
	);
};

/** The question in a dialog of its own. */
export const Question = ({ title, act, ...asked }: AskedProps & { readonly title: string }) => {
	const actAndClose = async (): Promise<void> => {
		await act();
		asked.close();
	};
	return (
		<Dialog title={title} close={asked.close}>
			<Asked {...asked} act={actAndClose} />
		</Dialog>
	);
};
