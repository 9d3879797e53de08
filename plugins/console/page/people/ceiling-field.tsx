/** What all tokens of a person may spend together, as it is written and as it is sent. */
import { Field } from "../parts/field.tsx";

/** Null: no limit. What is no number goes as it is, for the server to refuse: as none it would take the limit away. */
export const ceilingSent = (written: string): number | string | null => {
	const words = written.trim();
	if (words === "") return null;
	const amount = Number(words);
	return Number.isFinite(amount) ? amount : words;
};

interface CeilingFieldProps {
	readonly value: string;
	readonly change: (value: string) => void;
}

export const CeilingField = ({ value, change }: CeilingFieldProps) => (
	<Field
		label="Ceiling"
		unit="$"
		inputMode="decimal"
		value={value}
		change={change}
		note="What all tokens of this person may spend together. Empty: no limit."
	/>
);
