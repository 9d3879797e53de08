/** The fields of an object beside each other, and lists of such objects, to which rows are added. */
import { Field } from "../parts/field.tsx";
import { Choice } from "./choice.tsx";
import type { Row, Setting } from "./settings.ts";

interface SettingPartsProps {
	readonly parts: readonly Setting[];
	readonly row: Row;
	readonly change: (row: Row) => void;
}

export const SettingParts = ({ parts, row, change }: SettingPartsProps) => (
	<div class="parts">
		{parts.map(({ key, kind, label, unit, choices }) => {
			const field = { label, value: row[key] ?? "", change: (words: string) => change({ ...row, [key]: words }) };
			if (kind === "choice") return <Choice key={key} {...field} note={undefined} choices={choices} />;
			return (
				<Field
					key={key}
					{...field}
					{...(unit && { unit })}
					inputMode={kind === "number" ? "decimal" : undefined}
					autocomplete="off"
				/>
			);
		})}
	</div>
);

interface SettingRowsProps {
	readonly setting: Setting;
	readonly rows: readonly Row[];
	readonly change: (rows: readonly Row[]) => void;
}

export const SettingRows = ({ setting: { label, note, parts }, rows, change }: SettingRowsProps) => (
	<fieldset class="field">
		<legend>{label}</legend>
		{rows.map((row, at) => (
			<div class="row" key={at}>
				<SettingParts parts={parts} row={row} change={(next) => change(rows.with(at, next))} />
				<button
					type="button"
					class="plain"
					aria-label={`Remove ${at + 1} of ${label}`}
					onClick={() => change(rows.toSpliced(at, 1))}
				>
					Remove
				</button>
			</div>
		))}
		<small>{note}</small>
		<div class="presets">
			<button type="button" class="plain" onClick={() => change([...rows, {}])}>
				Add to {label.toLowerCase()}
			</button>
		</div>
	</fieldset>
);
