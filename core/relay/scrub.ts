/** Takes out of an upstream's own words what belongs to the operator alone. */

/** Keys of the known providers, bearer values, organisation and project ids, addresses of hosts. */
const secrets =
	/\b(?:sk|rk|pk)-[\w*-]{8,}|\bAIza[\w*-]{8,}|\bBearer\s+[\w.*-]{8,}|\borg-[\w*]{6,}|\bproj_[\w*]{6,}|\bprojects\/\d{4,}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g;

/** The text with such values replaced by `[removed]`. Safe to apply to JSON text. */
export const scrub = (text: string): string => text.replace(secrets, "[removed]");

const keys = /\b(?:sk|rk|pk|whsec)[-_][\w*-]{16,}|\bAIza[\w*-]{16,}|\bBearer\s+\S{16,}/gi;

/** A text that a client chose, such as a model's name, without what looks like a key that got there by mistake. */
export const withoutKeys = (text: string): string => text.replace(keys, "[removed]");
