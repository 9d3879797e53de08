/** What a task asks its model to make: as the neutral request that policies and guards read, and as the words that its price goes by. */
import { type Block, dataUrlHead, definedOnly, type NeutralRequest, type WireRecord } from "#core";
import type { Said, Word } from "../prices/service.ts";
import type { TaskOrder } from "./service.ts";

/** Pictures and sounds are told by their address; every other text is words for the model. */
const blockOf = (text: string): Block => {
	const inline = dataUrlHead(text);
	if (inline?.isBase64)
		return { type: "image", media: { by: "bytes", mime: inline.mime, base64: text.slice(inline.end) } };
	return /^https?:\/\//i.test(text) ? { type: "image", media: { by: "url", url: text } } : { type: "text", text };
};

/** Every text in a client's own fields, however deep. */
const textsIn = (value: unknown): readonly string[] => {
	if (typeof value === "string") return value === "" ? [] : [value];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(textsIn);
};

/** The same with every number and every name of a field. */
const wordsIn = (value: unknown): readonly string[] => {
	if (typeof value === "number") return [String(value)];
	if (Array.isArray(value)) return value.flatMap(wordsIn);
	if (typeof value !== "object" || value === null) return textsIn(value);
	return Object.entries(value).flatMap(([name, inner]) => [name, ...wordsIn(inner)]);
};

/** One message of the user: the prompt first, then what stands in the other fields. */
export const promptOf = ({
	model,
	prompt,
	input,
	details,
}: Pick<TaskOrder, "model" | "prompt" | "input" | "details">): NeutralRequest => {
	const others = new Set([...wordsIn(input), ...textsIn(details)]);
	others.delete(prompt);
	return {
		protocol: "tasks",
		model,
		stream: false,
		messages: [{ role: "user", blocks: [{ type: "text", text: prompt }, ...[...others].map(blockOf)] }],
		sampling: {},
		raw: input,
	};
};

/** The bytes of an order, as its client sent them but for names and punctuation. */
export const bytesOf = ({ prompt, input }: { readonly prompt: string; readonly input: WireRecord }): number => {
	let bytes = 0;
	for (const text of [prompt, ...textsIn(input)]) bytes += Buffer.byteLength(text);
	return bytes;
};

/** What chooses a price is a word; what is longer, or an address, is content, which is not kept when a task has ended. */
const longestWord = 64;
/** More than any client sends. */
const mostFields = 100;

const isWord = (value: unknown): value is Word =>
	typeof value === "string"
		? value.length <= longestWord && !value.includes("/")
		: typeof value === "number" || typeof value === "boolean";

/** Parameters that some upstreams read in the prompt itself (`--turbo`). */
const flag = /(?:^|\s)(--+|[\u2013\u2014])([a-z][\w-]*)/gi;

/** Those that choose how a picture looks, whatever it costs. */
const plainFlags: ReadonlySet<string> = new Set(
	"ar aspect c chaos cref iw niji no p profile raw s seed sref style stylize sw tile v version w weird".split(" "),
);

/** Those that change what it costs. Autocorrection makes a dash of their hyphens, by which a line of dialogue begins too. */
const dearFlags: ReadonlySet<string> = new Set(
	"turbo fast relax quality q hd video repeat r draft bs motion".split(" "),
);

const hasOtherFlags = (prompt: string): boolean =>
	[...prompt.matchAll(flag)].some(([, mark = "", name = ""]) =>
		mark.startsWith("-") ? !plainFlags.has(name.toLowerCase()) : dearFlags.has(name.toLowerCase()),
	);

/** What its kind has read goes before what stands in the field: upstreams are told that. */
const fieldsOf = ({ input, details }: Pick<TaskOrder, "input" | "details">): WireRecord => {
	const { size, mode, n, seconds, aspectRatio } = details;
	return { ...input, ...definedOnly({ size, mode, n, seconds, aspect_ratio: aspectRatio }) };
};

/**
 * The words of its fields; undefined where others may stand elsewhere. Nothing is folded or made alike: an upstream may read
 * another spelling in its own way.
 */
export const saidBy = (order: Pick<TaskOrder, "prompt" | "input" | "details">): Said | undefined => {
	const given = Object.entries(fieldsOf(order)).filter(([, value]) => value !== undefined);
	if (given.length > mostFields || given.some(([name]) => name.length > longestWord)) return undefined;
	if (hasOtherFlags(order.prompt)) return undefined;
	return Object.fromEntries(given.map(([name, value]) => [name, isWord(value) ? value : null]));
};

/** What goes on from another is made as that one was or as it is asked for, so only what both say alike is certain. */
export const bothSay = (own: Said | undefined, before: Said | undefined): Said | undefined => {
	if (!own || !before) return undefined;
	const names = Object.keys({ ...own, ...before });
	const alike = (name: string) => Object.hasOwn(own, name) && Object.hasOwn(before, name) && own[name] === before[name];
	return Object.fromEntries(names.map((name) => [name, alike(name) ? (own[name] ?? null) : null]));
};
