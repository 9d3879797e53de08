/** A dialog that the browser keeps the focus in. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { focusHeading, focusIsLost } from "../data/focus.ts";
import { Waiting } from "./waiting.tsx";

interface DialogProps {
	readonly title: string;
	readonly children: ComponentChildren;
	/** A sentence below the title. */
	readonly words?: ComponentChildren;
	/** Esc closes by it. Without it only what is inside can close the dialog. */
	readonly close?: (() => void) | undefined;
	/** At the side instead of in the middle. */
	readonly sheet?: boolean;
	/** Nothing of the page behind can be seen. */
	readonly cover?: boolean;
}

export const Dialog = ({ title, words, children, close, sheet, cover }: DialogProps) => {
	const element = useRef<HTMLDialogElement>(null);
	const heading = useId();
	// Newer browsers close at a second Esc whatever the page says, unless told so.
	useLayoutEffect(() => element.current?.setAttribute("closedby", close ? "closerequest" : "none"));
	// Before the browser paints: who sees the dialog can use its keys.
	useLayoutEffect(() => {
		const dialog = element.current;
		if (!dialog) return;
		const before = document.activeElement;
		dialog.showModal();
		return () => {
			dialog.close();
			if (before instanceof HTMLElement) before.focus();
			// The row that was opened may be gone, and by its address a dialog is opened by none.
			if (focusIsLost() || dialog.contains(document.activeElement)) focusHeading();
		};
	}, []);
	useLayoutEffect(() => {
		// What had the focus may have made way for something else.
		if (focusIsLost()) element.current?.focus();
	});
	return (
		<dialog
			ref={element}
			tabIndex={-1}
			class={sheet ? "sheet" : cover ? "cover" : undefined}
			aria-labelledby={heading}
			onCancel={(event) => {
				if (event.target !== element.current) return;
				event.preventDefault();
				close?.();
			}}
		>
			<div class="top">
				<h2 id={heading}>{title}</h2>
				{words && <p>{words}</p>}
				<Waiting />
			</div>
			{children}
		</dialog>
	);
};
