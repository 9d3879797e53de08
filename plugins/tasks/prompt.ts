/** What a task asks its model to make, as the neutral request that policies and guards read. */
import { type Block, dataUrlHead, type NeutralRequest, type WireRecord } from "#core";
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

/** One message of the user: the prompt first, then what stands in the other fields. */
export const promptOf = ({
	model,
	prompt,
	input,
	details,
}: Pick<TaskOrder, "model" | "prompt" | "input" | "details">): NeutralRequest => {
	const others = new Set([...textsIn(input), ...textsIn(details)]);
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
