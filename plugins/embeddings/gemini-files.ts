/** Files that a request of Gemini's names: what is kept in the upstream's account is not the caller's own. */
import { deny, Fault, foldedName, isRecord } from "#core";

/** However it is spelled: servers in Go take any case. */
const namesFile = (value: unknown): boolean => {
	if (Array.isArray(value)) return value.some(namesFile);
	if (!isRecord(value)) return false;
	return Object.entries(value).some(([name, inner]) => foldedName(name) === "filedata" || namesFile(inner));
};

/** Throws `Fault` for a body that names one. */
export const refuseFiles = (body: unknown): void => {
	if (!namesFile(body)) return;
	const message = "Files of the upstream's account cannot be named here; send what is meant within the request.";
	throw new Fault(deny("invalid_request", message, { parameter: "content.parts", code: "reference_not_allowed" }));
};
