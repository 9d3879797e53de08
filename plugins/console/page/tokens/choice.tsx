/** A field with a few words to choose from. */
import { useId } from "preact/hooks";

interface ChoiceProps {
	readonly label: string;
	readonly note: string | undefined;
	readonly choices: readonly string[];
	readonly value: string;
	readonly change: (value: string) => void;
}

export const Choice = ({ label, note, choices, value, change }: ChoiceProps) => {
	const id = useId();
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<select id={id} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
				<option value="">–</option>
				{choices.map((choice) => (
					<option key={choice} value={choice}>
						{choice}
					</option>
				))}
			</select>
			{note && <small>{note}</small>}
		</div>
	);
};
