/** Times that nobody else chose: from when on and until when, in the browser's zone, as a person writes them. */
import { useEffect, useState } from "preact/hooks";
import { place, setQuery } from "../data/location.ts";
import { asTime, writtenTime } from "../tokens/times.ts";

interface OwnTimeProps {
	readonly name: "from" | "to";
	readonly label: string;
	/** Where none is written. */
	readonly none: string;
}

const OwnTime = ({ name, label, none }: OwnTimeProps) => {
	const asked = writtenTime(place.value.query.get(name) ?? "");
	/** Kept while it is written: what stands in the address would take its place. */
	const [written, setWritten] = useState(asked);
	useEffect(() => setWritten(asked), [asked]);
	return (
		<label class="time">
			{label}
			<input
				type="text"
				class="mono"
				autocomplete="off"
				spellcheck={false}
				title="A date, or a date and a time, in your zone: 2027-01-31 02:30"
				placeholder={none}
				value={written}
				onInput={({ currentTarget }) => setWritten(currentTarget.value)}
				onChange={({ currentTarget }) => setQuery({ [name]: asTime(currentTarget.value.trim()), after: undefined })}
			/>
		</label>
	);
};

export const OwnTimes = () => (
	<>
		<OwnTime name="from" label="From" none="the first call" />
		<OwnTime name="to" label="until" none="now" />
	</>
);
