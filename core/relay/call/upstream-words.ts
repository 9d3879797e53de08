/** Keeps an upstream's secrets out of what it says of a failure: its keys and its address, which it alone knows how to find. */
import type { Denial } from "../../contract/fault.ts";
import type { Target } from "../../contract/upstream.ts";
import type { StreamEvent } from "../../contract/upstream-side.ts";
import { scrub } from "../../errors/redact.ts";
import { definedOnly } from "../../neutral/json.ts";

/** A code or the name of a parameter, unless there is a secret in it: cut short it would mean nothing. */
const plainWord = (word: string | undefined, { redact }: Target["upstream"]): string | undefined =>
	word !== undefined && scrub(word) === word && (redact?.(word) ?? word) === word ? word : undefined;

/** Why an answer ended, by the upstream's own word: only a plain one (letters, digits, `.`, `_`, `-`) is passed on. */
export const plainStop = (word: string | undefined): string | undefined =>
	word !== undefined && /^[\w.-]{1,64}$/.test(word) ? word : undefined;

/** An upstream may repeat the key it was sent, also in the middle of an answer, also as a code: the denial without its secrets. */
export const redacted = (denial: Denial, { upstream }: Target): Denial => {
	const { message, code, parameter, ...rest } = denial;
	const clean = { code: plainWord(code, upstream), parameter: plainWord(parameter, upstream) };
	return { ...rest, message: upstream.redact?.(message) ?? message, ...definedOnly(clean) };
};

/** Whether one of these events may tell an error: cheap enough to be asked of every one. */
export const mayTellError = (events: readonly StreamEvent[]): boolean => {
	for (const { data } of events) if (data.includes('"error"')) return true;
	return false;
};

/** An error's own text, ready to pass on as it came but for the upstream's secrets. */
export const cleanWords = (text: string, { upstream }: Target): string => {
	const words = scrub(text);
	return upstream.redact?.(words) ?? words;
};
