/**
 * The settings that tokens may have, as the loaded policies describe them, and what is written in the form for each. A
 * plugin nobody here has heard of has its field by this.
 */
import { asWire, number, text, texts, type Wire, wires } from "../data/read.ts";
import { asTime, writtenTime } from "./times.ts";

type Kind = "number" | "switch" | "text" | "time" | "choice" | "list" | "parts" | "rows" | "json";

export interface Setting {
	readonly key: string;
	readonly label: string;
	readonly kind: Kind;
	readonly note: string | undefined;
	/** Shown before the field, such as $. */
	readonly unit: string | undefined;
	/** The words to choose from. */
	readonly choices: readonly string[];
	/** The fields of an object, or of each object of a list. */
	readonly parts: readonly Setting[];
}

/** The parts of an object by their keys; what has no field of its own stays as JSON under none. */
export type Row = Readonly<Record<string, string>>;

/** What stands in the form: a text for each field, a row for an object, rows for a list of them. */
export type Written = string | Row | readonly Row[];

export const rowsOf = (written: Written | undefined): readonly Row[] => (Array.isArray(written) ? written : []);

/** `requestsPerMinute` in words. */
export const inWords = (key: string): string => {
	const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
	return words.charAt(0).toUpperCase() + words.slice(1);
};

const choicesIn = (schema: Wire): readonly string[] =>
	wires(schema, "anyOf").flatMap((one) => text(one, "const") ?? []);

const simple = (schema: Wire): boolean =>
	["number", "integer", "string", "boolean"].includes(text(schema, "type") ?? "") || choicesIn(schema).length > 0;

const propertiesOf = (schema: Wire): readonly (readonly [string, Wire])[] =>
	Object.entries(asWire(schema["properties"])).map(([name, part]) => [name, asWire(part)]);

const arrayKind = (items: Wire): Kind => {
	if (simple(items)) return "list";
	return propertiesOf(items).some(([, part]) => simple(part)) ? "rows" : "json";
};

const kindOf = (schema: Wire, widget: string | undefined): Kind => {
	const properties = propertiesOf(schema).map(([, part]) => part);
	switch (text(schema, "type")) {
		case "number":
		case "integer":
			return "number";
		case "boolean":
			return "switch";
		case "string":
			return widget === "time" || text(schema, "format") === "date-time" ? "time" : "text";
		case "array":
			return arrayKind(asWire(schema["items"]));
		case "object":
			return properties.length > 0 && properties.every(simple) ? "parts" : "json";
		default:
			return choicesIn(schema).length > 0 ? "choice" : "json";
	}
};

const settingOf = (key: string, schema: Wire): Setting => {
	const form = asWire(schema["form"]);
	const kind = kindOf(schema, text(form, "widget"));
	const parts = kind === "parts" ? propertiesOf(schema) : kind === "rows" ? propertiesOf(asWire(schema["items"])) : [];
	return {
		key,
		kind,
		label: text(form, "label") ?? inWords(key),
		note: (text(form, "note") ?? text(schema, "description"))?.replaceAll("`", ""),
		unit: text(form, "unit"),
		choices: choicesIn(schema),
		parts: parts.filter(([, part]) => simple(part)).map(([name, part]) => settingOf(name, part)),
	};
};

/** In the order their hints ask for; those without one come last. */
export const settingsIn = (schema: Wire): readonly Setting[] =>
	Object.entries(asWire(schema["properties"]))
		.filter(([key]) => key !== "name")
		.map(([key, value]) => ({
			order: number(asWire(asWire(value)["form"]), "order") ?? 99,
			setting: settingOf(key, asWire(value)),
		}))
		.sort((a, b) => a.order - b.order)
		.map(({ setting }) => setting);

const asJson = (words: string): unknown => {
	try {
		return JSON.parse(words);
	} catch {
		// The server says what is wrong with it.
		return words;
	}
};

const valueIn = (kind: Kind, words: string): unknown => {
	switch (kind) {
		case "number":
			return Number.isFinite(Number(words)) ? Number(words) : words;
		case "switch":
			return words === "true";
		case "time":
			return asTime(words);
		case "list":
			return words.split(/[,\n]/).flatMap((word) => word.trim() || []);
		case "json":
			return asJson(words);
		default:
			return words;
	}
};

const rowSent = (parts: readonly Setting[], row: Row): Readonly<Record<string, unknown>> => {
	const given = parts.flatMap((part): [string, unknown][] => {
		const value = sentOf(part, row[part.key]);
		return value === undefined ? [] : [[part.key, value]];
	});
	return { ...asWire(asJson(row[""] ?? "{}")), ...Object.fromEntries(given) };
};

const isEmpty = (value: Readonly<Record<string, unknown>>): boolean => Object.keys(value).length === 0;

/** What is sent for it: undefined where nothing is written. What cannot be read goes as it is, for the server to refuse in its words. */
export const sentOf = ({ kind, parts }: Setting, written: Written | undefined): unknown => {
	if (written === undefined) return undefined;
	if (typeof written === "string") return written.trim() === "" ? undefined : valueIn(kind, written.trim());
	if (Array.isArray(written)) {
		const rows = written.map((row) => rowSent(parts, row)).filter((row) => !isEmpty(row));
		return rows.length === 0 ? undefined : rows;
	}
	const given = rowSent(parts, written as Row);
	return isEmpty(given) ? undefined : given;
};

const rowWritten = (parts: readonly Setting[], value: Wire): Row => {
	const fields = parts.map(({ key }) => [key, value[key] === undefined ? "" : String(value[key])]);
	const rest = Object.entries(value).filter(([key]) => !parts.some((part) => part.key === key));
	return Object.fromEntries(rest.length === 0 ? fields : [...fields, ["", JSON.stringify(Object.fromEntries(rest))]]);
};

/** What stands in the form for a value that a token has. */
export const writtenOf = ({ kind, parts }: Setting, value: unknown): Written => {
	if (kind === "parts") return rowWritten(parts, asWire(value));
	if (kind === "rows") return wires({ value }, "value").map((row) => rowWritten(parts, row));
	if (value === undefined || value === null) return "";
	if (kind === "list") return texts({ value }, "value").join(", ");
	if (kind === "time" && typeof value === "string") return writtenTime(value);
	return typeof value === "string" ? value : JSON.stringify(value);
};
