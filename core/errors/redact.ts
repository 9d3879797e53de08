/** Takes out of an upstream's own words what belongs to the operator alone. */
import { remembering } from "../wire/remember.ts";

/** Keys of vendors by what theirs begin with, in characters that no name of a thing strings together so long. */
const vendors = String.raw`\b(?:(?:gsk_|pplx-|xai-|csk-|hf_|r8_)[A-Za-z0-9*]{16,}|nvapi-[\w*-]{16,}|ya29\.[\w.*-]{8,}|AQ\.[\w*-]{16,})`;

/** Keys of the known providers, bearer values, organisation and project ids, addresses of hosts. */
const secrets = new RegExp(
	String.raw`\b(?:sk|rk|pk)-[\w*-]{8,}|\bAIza[\w*-]{8,}|\bBearer\s+[\w.*-]{8,}|\borg-[\w*]{6,}|\bproj_[\w*]{6,}|\bprojects\/\d{4,}|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|${vendors}`,
	"g",
);

/** Anthropic's organisations, which are UUIDs, with what else stands in the same brackets: the model's own name. */
const organizations = /(?<=\(org: |\borganization \()[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}[^()"\\]*(?=\))/gi;

/** The text with such values replaced by `[removed]`. Safe to apply to JSON text. */
export const scrub = (text: string): string => text.replace(secrets, "[removed]").replace(organizations, "[removed]");

const keys = new RegExp(
	String.raw`(?<![a-z0-9])(?:sk|rk|pk|whsec)[-_][\w*-]{16,}|\badmin-[\w*-]{24,}|\bAIza[\w*-]{16,}|\bBearer\s+\S{16,}|${vendors}`,
	"gi",
);

/** A text that a client chose, such as a model's name, without what looks like a key that got there by mistake. */
export const withoutKeys = (text: string): string => text.replace(keys, "[removed]");

const known = remembering(withoutKeys);
const longestKnown = 256;

/** The same for names, of which clients use the same few again and again. */
export const plainName = (name: string): string => (name.length > longestKnown ? withoutKeys(name) : known(name));

/** The same and more, for one message: addresses too, which in a body may be help that the client is to read. */
const secretsAndAddresses: readonly (readonly [RegExp, string])[] = [
	// Its host may stand in brackets: IPv6, or what was removed before.
	[/\b[a-z][a-z0-9+.-]*:\/\/(?:\[[^\s\]]*\][^\s"'<>)\]]*|[^\s"'<>)\]]+)/gi, "[address]"],
	[/\bBearer\s+[^\s"',;]+/gi, "[key]"],
	[/\b(?:sk|pk|rk)[-_][\w*.-]{6,}/gi, "[key]"],
	// Members of schemas have such names (`key_points`): a key has digits, or is masked.
	[/\b(?:gsk|xai|csk|pplx|nvapi|key|r8|hf)[-_](?=[\w*.-]*[\d*])[\w*.-]{6,}/gi, "[key]"],
	[new RegExp(vendors, "g"), "[key]"],
	[/\bAIza[\w*-]{10,}/g, "[key]"],
	[/\borg-[\w-]{3,}/g, "[organization]"],
	[organizations, "[organization]"],
	[/\bproj_\w{3,}|\bprojects\/\d{4,}/g, "[project]"],
	[/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]"],
];

const longest = 2000;

/** The message without keys, addresses, organisation and project ids, and not longer than 2,000 characters. */
export const scrubMessage = (text: string): string => {
	let clean = text.length > longest ? `${text.slice(0, longest)}…` : text;
	for (const [pattern, word] of secretsAndAddresses) clean = clean.replace(pattern, word);
	return clean;
};
