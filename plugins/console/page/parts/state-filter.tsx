/** Keeps a list to what is in one state; which one stands in the address. */
import { place, setQuery } from "../data/location.ts";
import { Segments } from "./segments.tsx";
import type { Tone } from "./state.tsx";

interface StateFilterProps {
	/** Each state by the server's word for it. */
	readonly states: Readonly<Record<string, readonly [word: string, tone: Tone]>>;
}

export const StateFilter = ({ states }: StateFilterProps) => (
	<div class="bar">
		<Segments
			label="State"
			value={place.value.query.get("status") ?? ""}
			choose={(value) => setQuery({ status: value, after: undefined })}
			options={[
				{ value: "", text: "All" },
				...Object.entries(states).map(([value, [word]]) => ({ value, text: word })),
			]}
		/>
	</div>
);
