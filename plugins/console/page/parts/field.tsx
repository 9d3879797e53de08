/** A labelled field with its explanation. */
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface FieldProps {
	readonly label: string;
	readonly value: string;
	readonly change: (value: string) => void;
	readonly note?: ComponentChildren;
	readonly type?: "text" | "password" | "search";
	readonly autocomplete?: string;
	readonly autofocus?: boolean;
	readonly required?: boolean;
	readonly unit?: string;
	readonly placeholder?: string;
	readonly inputMode?: JSX.HTMLAttributes["inputMode"];
	readonly wrong?: string | undefined;
	readonly children?: ComponentChildren;
}

export const Field = ({ label, value, change, note, unit, wrong, children, autofocus, ...rest }: FieldProps) => {
	const id = useId();
	const input = useRef<HTMLInputElement>(null);
	// Before the browser paints: who sees the field can write in it. A dialog that opens with it goes by the mark.
	useLayoutEffect(() => {
		input.current?.toggleAttribute("autofocus", autofocus === true);
		if (autofocus) input.current?.focus();
	}, [autofocus]);
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<div class="with-unit">
				{unit && <span aria-hidden="true">{unit}</span>}
				<input
					ref={input}
					id={id}
					value={value}
					spellcheck={false}
					aria-describedby={note || wrong ? `${id}-note` : undefined}
					aria-invalid={wrong ? true : undefined}
					onInput={({ currentTarget }) => change(currentTarget.value)}
					{...rest}
				/>
			</div>
			{children}
			{(note || wrong) && (
				<small id={`${id}-note`} class={wrong ? "wrong" : undefined}>
					{wrong ?? note}
				</small>
			)}
		</div>
	);
};
