/**
 * What a task's input names instead of sending it: clips, elements, voices and files that are kept in an upstream's account,
 * and addresses in the upstream's own network, which programs such as midjourney-proxy read. Each service has other names
 * for such fields, so a field is known by the shape of its name rather than from a list.
 */
import { isAddress, isRecord, leadsInside, parseJson } from "#core";

export interface NamedId {
	/** Where it stands: `input.video_id`. */
	readonly at: string;
	readonly id: string;
}

/** Ends as names of ids do: `task_id`, `file_ids`, `videoId`, `id`. */
const idField = /(?:^|[_-])(?:id|ID)s?$|[a-z\d](?:Id|ID)s?$/;

/** Ends so, and is a name of the client's own for something: its user, its order, its task by its own count. */
const clientsOwn =
	/^(?:external|client|customer|end_?user|user|request|trace|correlation|order|tenant|project|campaign|callback)(?:_|(?=[A-Z]))/i;

/** Which of the operator's accounts is to work, for services that have several; nothing of a client's is in it. */
const opaque: ReadonlySet<string> = new Set(["accountFilter"]);

/** Take content or an address too; short text that is neither is the name of something kept. */
const keptField =
	/^(?:assets?|cachedContent|cached_content|characters?|clips?|container|elements?|extend|files?|jobs?|persona|tasks?|tracks?|uri|gcsUri|gcs_uri|fileUri|file_uri|videos?)$/;

/** Content in base64 is longer than any name. */
const longestName = 512;

/** Voices that a service offers to all have names with letters; those of an account have numbers. */
const namesPublicVoice = (field: string, id: string): boolean =>
	/voice_?id/i.test(field) && /^(?=.*[_-])[a-z]/i.test(id);

/** Deeper than any client's body. */
const deepest = 64;

const namesKept = (field: string, text: string): boolean => {
	if (text === "" || text === "true" || text === "false") return false;
	if (field === "jobInfo") return true;
	if (idField.test(field)) return !(clientsOwn.test(field) || namesPublicVoice(field, text));
	if (isAddress(text)) return leadsInside(text);
	return keptField.test(field) && text.length <= longestName && !/^data:/i.test(text);
};

/** Forms send what is nested as JSON in a text. */
const nestedIn = (text: string): unknown => (/^\s*[[{]/.test(text) ? parseJson(text) : undefined);

const inField = (field: string, value: unknown, at: string, depth: number): readonly NamedId[] => {
	if (depth > deepest) return [{ at: at.slice(0, longestName), id: "" }];
	if (Array.isArray(value)) return value.flatMap((one, index) => inField(field, one, `${at}[${index}]`, depth + 1));
	if (isRecord(value))
		return Object.entries(value).flatMap(([name, inner]) =>
			opaque.has(name) ? [] : inField(name, inner, at === "" ? name : `${at}.${name}`, depth + 1),
		);
	if (typeof value !== "string" && typeof value !== "number") return [];
	const text = String(value);
	const nested = nestedIn(text);
	if (nested !== undefined) return inField(field, nested, at, depth + 1);
	return namesKept(field, text) ? [{ at, id: text }] : [];
};

/** Everything that the input names, in its order. */
export const namedIds = (input: unknown): readonly NamedId[] => inField("", input, "", 0);
