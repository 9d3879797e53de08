/** What an upstream's answer is told as that is in no known form. */
import { Fault } from "../../contract/fault.ts";

const fault = (message: string): Fault => new Fault({ kind: "upstream", message });

/** The fault of an answer in no known form. */
export const notAnAnswer = (expected: string): Fault =>
	fault(
		`The upstream answered with something other than ${expected}. Ask again, or ask the operator to check its address.`,
	);

/** The fault of a text that should be JSON and cannot be read as that. */
export const notJson = (text: string): Fault => {
	const [first] = text.trimStart();
	if (first === undefined) return fault("The upstream answered with nothing. Ask again.");
	return first === "{" || first === "["
		? fault("The upstream's answer breaks off: it is JSON without its end. Ask again.")
		: notAnAnswer("JSON");
};
