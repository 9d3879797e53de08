/** A field that narrows a list while it is written. */
import type { RefObject } from "preact";

interface SearchProps {
	readonly label: string;
	readonly placeholder: string;
	readonly value: string;
	readonly change: (value: string) => void;
	/** For the key that leads to it. */
	readonly input?: RefObject<HTMLInputElement>;
}

export const Search = ({ label, placeholder, value, change, input }: SearchProps) => (
	<input
		{...(input && { ref: input })}
		type="search"
		aria-label={label}
		placeholder={placeholder}
		value={value}
		onInput={({ currentTarget }) => change(currentTarget.value)}
	/>
);
