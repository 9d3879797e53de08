/** Which family of models an opaque value is bound to, and how a value travels through a foreign client. */
import type { Opaque } from "./content.ts";

/**
 * A model's own name, in lower case: without what a path (`openai/…`, `models/…`), Bedrock (`us.anthropic.…`, `moonshotai.…`)
 * or Databricks puts before it, and with the points that Fireworks writes as `p` (`qwen3p8`).
 */
export const ownName = (model: string): string =>
	model
		.slice(model.lastIndexOf("/") + 1)
		.toLowerCase()
		.replace(/^(?:databricks-(?=claude)|(?:[a-z-]+\.)+|(?:[\w-]+\.)+(?=claude))/, "")
		.replace(/(?<=\d)p(?=\d)/g, ".");

/** `claude`, `gpt`, `gemini`, or the first word of the model's own name. */
export const familyOf = (model: string): string => {
	const name = ownName(model);
	if (name.startsWith("claude")) return "claude";
	if (name.startsWith("gemini") || name.startsWith("gemma")) return "gemini";
	if (/^(gpt|o\d|chatgpt|codex)/.test(name)) return "gpt";
	return /^[a-z]+/.exec(name)?.[0] ?? name;
};

const prefix = "portico.";

/** A foreign opaque value as one string that any client replays unread. The reverse is `uncarry`. */
export const carry = (opaque: Opaque): string =>
	`${prefix}${opaque.origin.protocol}.${opaque.origin.family}.${opaque.value}`;

/** The opaque value in a string that `carry` made; undefined for any other string. */
export const uncarry = (text: string): Opaque | undefined => {
	if (!text.startsWith(prefix)) return undefined;
	const [protocol, family, ...rest] = text.slice(prefix.length).split(".");
	if (!protocol || !family) return undefined;
	return { value: rest.join("."), origin: { protocol, family } };
};

/** How such a string begins where it is written in base64. */
export const encodedMark = "cG9ydGljby";

/** The same of one in base64, in either alphabet, which clients make of it that hold opaque values as bytes. */
export const uncarryEncoded = (text: string): Opaque | undefined => {
	if (!text.startsWith(encodedMark)) return undefined;
	try {
		const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
		return uncarry(new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))));
	} catch {
		// Cut or altered on its way: nobody's value.
		return undefined;
	}
};
