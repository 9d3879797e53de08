/** Takes out of an upstream's message what no client may read: keys, addresses, organisations. */

const secrets: readonly (readonly [RegExp, string])[] = [
	[/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "[address]"],
	[/\bBearer\s+[^\s"',;]+/gi, "[key]"],
	[/\b(?:sk|pk|rk|gsk|xai|csk|pplx|nvapi|key|r8|hf)[-_][\w*.-]{6,}/gi, "[key]"],
	[/\bAIza[\w*-]{10,}/g, "[key]"],
	[/\borg-[\w-]{3,}/g, "[organization]"],
	[/\bproj_\w{3,}/g, "[project]"],
	[/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, "[address]"],
];

const longest = 2000;

/** The message without keys, addresses, organisation and project ids, and not longer than 2,000 characters. */
export const scrub = (text: string): string => {
	let clean = text.length > longest ? `${text.slice(0, longest)}…` : text;
	for (const [pattern, word] of secrets) clean = clean.replace(pattern, word);
	return clean;
};
