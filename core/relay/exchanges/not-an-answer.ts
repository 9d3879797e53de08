/** What an upstream's answer is told as that is in no known form. */
import { Fault } from "../../contract/fault.ts";

const fault = (message: string): Fault => new Fault({ kind: "upstream", message });

/** The fault of an answer in no known form. */
export const notAnAnswer = (expected: string): Fault =>
	fault(
		`The upstream answered with something other than ${expected}. Ask again, or ask the operator to check its address.`,
	);

/** Whether an object or a list that the text begins with is still open at its end. */
const isOpen = (text: string): boolean => {
	let depth = 0;
	let inString = false;
	for (let at = 0; at < text.length; at++) {
		const sign = text[at];
		if (inString && sign === "\\") at++;
		else if (sign === '"') inString = !inString;
		else if (inString) continue;
		else if (sign === "{" || sign === "[") depth++;
		else if ((sign === "}" || sign === "]") && --depth === 0) return false;
	}
	return true;
};

/** The fault of a text that should be JSON and cannot be read as that. */
export const notJson = (text: string): Fault => {
	const [first] = text.trimStart();
	if (first === undefined) return fault("The upstream answered with nothing. Ask again.");
	if (first !== "{" && first !== "[") return notAnAnswer("JSON");
	return isOpen(text)
		? fault("The upstream's answer breaks off: it is JSON without its end. Ask again.")
		: fault("The upstream's answer looks like JSON and breaks its rules. Ask again, or tell the operator.");
};
