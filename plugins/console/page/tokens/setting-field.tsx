/** The field of one setting, drawn from its schema. */
import { useId } from "preact/hooks";
import { Field } from "../parts/field.tsx";
import { Choice } from "./choice.tsx";
import { SettingParts, SettingRows } from "./setting-rows.tsx";
import { type Row, rowsOf, type Setting, type Written } from "./settings.ts";
import { localTime } from "./times.ts";

interface SettingFieldProps {
	readonly setting: Setting;
	readonly written: Written;
	readonly change: (written: Written) => void;
}

const dayMs = 86_400_000;
const spans: readonly (readonly [string, number])[] = [
	["7 days", 7],
	["30 days", 30],
	["90 days", 90],
	["1 year", 365],
];

export const SettingField = ({ setting, written, change }: SettingFieldProps) => {
	const id = useId();
	const { kind, label, note, unit, choices, parts } = setting;
	if (kind === "rows") return <SettingRows setting={setting} rows={rowsOf(written)} change={change} />;
	if (kind === "parts") {
		const row: Row = typeof written === "string" || Array.isArray(written) ? {} : (written as Row);
		return (
			<fieldset class="field">
				<legend>{label}</legend>
				<SettingParts parts={parts} row={row} change={change} />
				<small>{note}</small>
			</fieldset>
		);
	}
	const words = typeof written === "string" ? written : "";
	if (kind === "choice") return <Choice label={label} note={note} choices={choices} value={words} change={change} />;
	if (kind === "switch")
		return (
			<div class="field">
				<label class="tick">
					<input
						type="checkbox"
						checked={words === "true"}
						onChange={({ currentTarget }) => change(currentTarget.checked ? "true" : "")}
					/>
					{label}
				</label>
				<small>{note}</small>
			</div>
		);
	if (kind === "json")
		return (
			<div class="field">
				<label for={id}>{label}</label>
				<textarea
					id={id}
					class="mono"
					rows={3}
					spellcheck={false}
					aria-describedby={`${id}-note`}
					value={words}
					onInput={({ currentTarget }) => change(currentTarget.value)}
				/>
				<small id={`${id}-note`}>{note} As JSON.</small>
			</div>
		);
	return (
		<Field
			label={label}
			value={words}
			change={change}
			{...(unit && { unit })}
			note={kind === "list" ? `${note ?? ""} Separated by commas.` : note}
			inputMode={kind === "number" ? "decimal" : undefined}
			autocomplete="off"
		>
			{kind === "time" && (
				<div class="presets">
					{spans.map(([name, days]) => (
						<button type="button" class="plain" key={name} onClick={() => change(localTime(Date.now() + days * dayMs))}>
							in {name}
						</button>
					))}
					<button type="button" class="plain" onClick={() => change("")}>
						never
					</button>
				</div>
			)}
		</Field>
	);
};
