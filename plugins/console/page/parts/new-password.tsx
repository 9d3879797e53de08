/** Another password, written twice. */
import { Field } from "./field.tsx";

interface NewPasswordProps {
	readonly label: string;
	readonly value: string;
	readonly change: (value: string) => void;
	readonly again: string;
	readonly changeAgain: (again: string) => void;
	readonly autofocus?: boolean;
}

export const NewPassword = ({ label, value, change, again, changeAgain, autofocus = false }: NewPasswordProps) => (
	<>
		<Field
			label={label}
			type="password"
			value={value}
			change={change}
			autocomplete="new-password"
			autofocus={autofocus}
			required
			note="12 characters or more; a few words do well."
		/>
		<Field
			label={`${label} again`}
			type="password"
			value={again}
			change={changeAgain}
			autocomplete="new-password"
			required
			wrong={again !== "" && again !== value ? "This is not the same as above." : undefined}
		/>
	</>
);
