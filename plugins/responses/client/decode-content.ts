/** Parts of what a client sends: texts, images, files, sounds. */
import {
	asRecord,
	asText,
	type Block,
	type CacheMark,
	definedOnly,
	type Extras,
	isRecord,
	type Media,
	type Origin,
	placed,
	type WireRecord,
} from "#core";
import { lifetimeOf } from "../../chat-completions/service.ts";
import { decodeRefusalPart, decodeTextPart } from "../decode-item.ts";
import { audioOf, fileOf, imageOf } from "../media.ts";
import { ownBag } from "../origin.ts";

/** A mark at a part: what stands up to here is worth keeping in the provider's cache. */
const cacheOf = (part: WireRecord): { cache?: CacheMark } => {
	const mark = part["prompt_cache_breakpoint"];
	return isRecord(mark) ? { cache: definedOnly({ lifetime: lifetimeOf(mark) }) } : {};
};

/** How closely a file is looked at; pictures have a neutral word for it. */
const looksOf = ({ detail = null }: WireRecord): Extras | undefined =>
	detail === null ? undefined : ownBag({ detail });

const withMedia = (media: Media | undefined, unknown: Block, make: (media: Media) => Block): Block =>
	media === undefined ? unknown : make(media);

const decodePart = (part: WireRecord, item: WireRecord, origin: Origin): Block => {
	const unknown: Block = { type: "unknown", origin, raw: part };
	const cache = cacheOf(part);
	switch (part["type"]) {
		case "refusal":
			return decodeRefusalPart(part);
		case "input_image":
		case "image_url":
		case "computer_screenshot":
			return withMedia(imageOf(part, origin), unknown, (media) => ({
				type: "image",
				media,
				...cache,
				...definedOnly({ detail: asText(part["detail"]) ?? asText(asRecord(part["image_url"])["detail"]) }),
			}));
		case "input_file":
			return withMedia(fileOf(part, origin), unknown, (media) => ({
				type: "document",
				media,
				...cache,
				...definedOnly({ filename: asText(part["filename"]), extras: looksOf(part) }),
			}));
		case "input_audio":
			return withMedia(audioOf(part), unknown, (media) => ({ type: "audio", media, ...cache }));
		default:
			return typeof part["text"] === "string" ? { ...decodeTextPart(part, item), ...cache } : unknown;
	}
};

/** The blocks of a content, which is a string or a list of parts. `item`: the message the parts belong to; `at`: its place. */
export const decodeContent = (content: unknown, item: WireRecord, origin: Origin, at: string): readonly Block[] => {
	if (typeof content === "string") return [placed(decodeTextPart({ text: content }, item), at)];
	if (!Array.isArray(content)) return content === undefined || content === null ? [] : [textOf(content)];
	return content.map((part, index) =>
		placed(isRecord(part) ? decodePart(part, item, origin) : textOf(part), `${at}[${index}]`),
	);
};

/** A value where content was expected, as the model may still read it. */
const textOf = (value: unknown): Block => ({
	type: "text",
	text: typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
});
