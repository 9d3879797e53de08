/** Copies a text, or selects it where the browser lets no page copy. */
import { useEffect, useRef, useState } from "preact/hooks";

interface CopyProps {
	readonly text: string;
	/** The element that shows the text, to be selected when copying is not possible. */
	readonly shown?: () => HTMLElement | null;
	readonly first?: boolean;
	readonly autofocus?: boolean;
}

const select = (element: HTMLElement | null | undefined): void => {
	if (element) getSelection()?.selectAllChildren(element);
};

export const Copy = ({ text, shown, first, autofocus }: CopyProps) => {
	/** What was copied, or could not be: not whatever is shown by now in the same place. */
	const [tried, setTried] = useState<{ readonly text: string; readonly word: string }>();
	const button = useRef<HTMLButtonElement>(null);
	useEffect(() => {
		if (autofocus) button.current?.focus();
	}, [autofocus]);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			setTried({ text, word: "Copied" });
		} catch {
			// No clipboard here (plain http under a name, or a browser that asks and was told no).
			select(shown?.());
			setTried({ text, word: "Press Ctrl+C" });
		}
	};
	return (
		<button ref={button} type="button" class={first ? "first" : undefined} onClick={() => void copy()}>
			<span aria-live="polite">{tried?.text === text ? tried.word : "Copy"}</span>
		</button>
	);
};
