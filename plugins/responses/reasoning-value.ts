/**
 * Encrypted reasoning on its way through a client that knows nothing of reasoning items. OpenAI takes an item back only
 * as it was: with its id and its separate summaries. So the neutral opaque value carries both beside the blob, and the
 * encoder of this protocol, its only reader, takes them out again.
 */
import { partSeparator, type ThinkingBlock } from "#core";

/** What the opaque value of a reasoning item holds. */
interface ReasoningValue {
	readonly encrypted: string;
	readonly id?: string;
	/** The length of each summary, in UTF-16 units. */
	readonly lengths: readonly number[];
}

/** A client may write what it likes in such a place: there is one way only to read it. */
const packed = /^([\w-]*);((?:\d+(?:,\d+)*)?);/;

/** The blob with the item's id and the lengths of its summaries. */
export const packReasoning = (encrypted: string, id: string | undefined, parts: readonly string[]): string =>
	`${id !== undefined && /^[\w-]+$/.test(id) ? id : ""};${parts.map((part) => part.length).join(",")};${encrypted}`;

/** The reverse; a value that was not packed is the blob alone. */
export const unpackReasoning = (value: string): ReasoningValue => {
	const head = packed.exec(value);
	if (head === null) return { encrypted: value, lengths: [] };
	const lengths = head[2] === undefined || head[2] === "" ? [] : head[2].split(",").map(Number);
	const encrypted = value.slice(head[0].length);
	return head[1] === undefined || head[1] === "" ? { encrypted, lengths } : { encrypted, id: head[1], lengths };
};

/** The separate summaries of a block: its own parts, or its text cut where the value says the parts ended. */
export const summariesOf = (block: ThinkingBlock, lengths: readonly number[]): readonly string[] => {
	if (block.parts) return block.parts;
	if (block.text === "") return [];
	const whole = lengths.reduce((sum, length) => sum + length, 0) + partSeparator.length * (lengths.length - 1);
	if (lengths.length < 2 || whole !== block.text.length) return [block.text];
	let at = 0;
	return lengths.map((length) => {
		const part = block.text.slice(at, at + length);
		at += length + partSeparator.length;
		return part;
	});
};
