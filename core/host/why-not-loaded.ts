/** Why the module of a plugin could not be loaded, in words that complete a complaint. */
import { stripVTControlCharacters } from "node:util";
import { didYouMean } from "../config/complaint.ts";
import { withPlace } from "../errors/describe.ts";
import { asRecord, asText, type WireRecord } from "../neutral/json.ts";
import { builtInServices } from "./built-ins.ts";

/** Of several mistakes in its writing, which Bun gathers in one error, the first. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);

/** Where Bun could not read it; Deno puts the place into its message. */
const placeOf = (error: unknown): WireRecord =>
	error instanceof Error ? asRecord(Reflect.get(error, "position")) : {};

/** The file that Bun could not read. */
export const fileOf = (error: unknown): string | undefined => asText(placeOf(firstOf(error))["file"]);

/** The runtimes only say that there is no such module: what there is of Portico to import. */
const whatMayBeImported = (name: string): string => {
	const services = [...builtInServices.keys()].toSorted().map((plugin) => `#core/plugins/${plugin}`);
	const all = ["#core", "#core/testing", ...services];
	return `; of Portico there is no "${name}"${didYouMean(name, all)}, but ${all.join(", ")}`;
};

const adviceOn = (error: Error, said: string): string => {
	const specifier = asText(Reflect.get(error, "specifier")) ?? "";
	const [, name] = /["']((?:#core|portico)(?:\/[^"']+)?)["']/.exec(`"${specifier}" ${said}`) ?? [];
	if (name === undefined) return "";
	if (/\brequire\b/i.test(said))
		return '; a plugin is an ES module: write import, export default, and "type": "module" in its package.json';
	return name.includes("/") ? whatMayBeImported(name) : "";
};

export const whyNotLoaded = (error: unknown): string => {
	const first = firstOf(error);
	if (!(first instanceof Error)) return "unknown error";
	const { file, line, column } = placeOf(first);
	// Deno writes several lines, a place of its own among them, and colours wherever it writes to.
	const said = stripVTControlCharacters(first.message)
		.replace(/ at ext:\S+/g, "")
		.replace(/\s*\n\s*/g, " ");
	const words = typeof line === "number" ? `${said} at ${file}:${line}:${column}` : withPlace(said, first);
	return words + adviceOn(first, said);
};
