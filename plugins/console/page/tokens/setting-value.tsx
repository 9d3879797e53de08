/** What a setting of a token holds, for settings that have no form of their own. */
import { count } from "../data/format.ts";

/** Names of figures are the plugin's (`requestsPerMinute`); what else has a name may be the operator's own words, and stays. */
const nameOf = (key: string, value: unknown): string =>
	typeof value === "number" ? key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : key;

const Single = ({ value }: { readonly value: unknown }) => {
	if (typeof value === "boolean") return value ? "yes" : "no";
	if (typeof value === "number") return count(value);
	return typeof value === "string" ? value : <code>{JSON.stringify(value)}</code>;
};

/** A line for each part of an object. */
export const SettingValue = ({ value }: { readonly value: unknown }) =>
	typeof value === "object" && value !== null && !Array.isArray(value) ? (
		<div>
			{Object.entries(value).map(([key, part]) => (
				<div key={key}>
					<span class="quiet">{nameOf(key, part)}:</span> <Single value={part} />
				</div>
			))}
		</div>
	) : (
		<Single value={value} />
	);
