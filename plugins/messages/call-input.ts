/** The input of a call: arguments as the object that this protocol demands. */
import { isRecord, type ToolArguments, type WireRecord, writtenValue } from "#core";

/** Anything but an object becomes a member of one. */
export const inputOf = (given: ToolArguments): WireRecord => {
	if (given.form !== "json") return given.text.trim() === "" ? {} : { input: given.text };
	const value = writtenValue(given);
	if (isRecord(value)) return value;
	return value === null ? {} : { input: value };
};
