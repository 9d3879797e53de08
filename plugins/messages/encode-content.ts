/** Neutral blocks for an upstream. Strict: only what the protocol takes, and every omission is told. */
import {
	type AudioBlock,
	type Block,
	type DocumentBlock,
	definedOnly,
	type ImageBlock,
	isRecord,
	type Losses,
	type NeutralNode,
	type Origin,
	runAsText,
	type TextBlock,
	type ToolCallBlock,
	type ToolNames,
	type ToolResultBlock,
	type UnknownBlock,
	type VideoBlock,
	type WireRecord,
} from "#core";
import { cacheControl } from "../chat-completions/service.ts";
import { inputOf } from "./call-input.ts";
import { nativeValue } from "./carried.ts";
import { replayCitation } from "./citations.ts";
import { safeId } from "./identifiers.ts";
import { documentSource, type EncodedSource, imageSource } from "./media.ts";
import { protocolName } from "./name.ts";

/** What the parts of one request's encoding share. */
export interface Encoding {
	/** The family whose opaque values the upstream can read. */
	readonly family: string;
	readonly losses: Losses;
	readonly names: ToolNames;
	/** False when the model takes pictures only beside tool results. */
	readonly imagesInToolResults: boolean;
	/** The model signs no thinking, and refuses calls in the history that have none beside them. */
	readonly unsignedThinking: boolean;
	/** Features the request turned out to need. */
	readonly betas: Set<string>;
	/** How many cache marks, from the first on, must be left out for the rest to be few enough. */
	marksToSkip: number;
}

const filesBeta = "files-api-2025-04-14";

/** The member that marks the prompt up to here for caching. */
export const cacheMember = (node: NeutralNode, encoding: Encoding): WireRecord => {
	if (node.cache === undefined) return {};
	if (encoding.marksToSkip > 0) {
		encoding.marksToSkip--;
		return {};
	}
	return { cache_control: cacheControl(node.cache) };
};

const isOwn = (origin: Origin, family: string): boolean => origin.protocol === protocolName && origin.family === family;

const leftOut = (block: Block, what: string, { losses }: Encoding): readonly WireRecord[] => [
	{ type: "text", text: losses.leaveOut(block, what) },
];

const encodeText = (block: TextBlock, encoding: Encoding): readonly WireRecord[] => {
	const reference = block.extras?.[protocolName]?.["tool_reference"];
	if (isRecord(reference)) return [reference];
	// Upstreams refuse text without a letter.
	if (block.text.trim() === "") return [];
	const citations = (block.citations ?? []).flatMap((citation) => replayCitation(citation, encoding.family) ?? []);
	return [
		{
			type: "text",
			text: block.text,
			...(citations.length > 0 && { citations }),
			...cacheMember(block, encoding),
		},
	];
};

const withSource = (
	encoded: EncodedSource,
	block: Block,
	encoding: Encoding,
	write: (source: WireRecord) => WireRecord,
): readonly WireRecord[] => {
	if ("refused" in encoded) return leftOut(block, encoded.refused, encoding);
	if (encoded.source["type"] === "file") encoding.betas.add(filesBeta);
	return [write(encoded.source)];
};

/** The document before it has the picture in its own source. */
const isInDocument = (image: ImageBlock): boolean => image.extras?.[protocolName]?.["in_document"] === true;

const encodeImage = (image: ImageBlock, encoding: Encoding): readonly WireRecord[] => {
	if (isInDocument(image)) return [];
	if (image.detail !== undefined && image.detail !== "auto")
		encoding.losses.node(image, "the upstream chooses how closely it looks", "detail");
	return withSource(imageSource(image.media), image, encoding, (source) => ({
		type: "image",
		source,
		...image.extras?.[protocolName],
		...cacheMember(image, encoding),
	}));
};

const encodeDocument = (document: DocumentBlock, encoding: Encoding): readonly WireRecord[] => {
	const whole = document.extras?.[protocolName]?.["source"];
	const encoded = isRecord(whole) ? { source: whole } : documentSource(document.media);
	return withSource(encoded, document, encoding, (source) => ({
		type: "document",
		source,
		...definedOnly({
			title: document.title ?? document.filename,
			context: document.context,
			citations: document.citationsEnabled === undefined ? undefined : { enabled: document.citationsEnabled },
		}),
		...cacheMember(document, encoding),
	}));
};

const encodeSound = (block: AudioBlock | VideoBlock, encoding: Encoding): readonly WireRecord[] => {
	const said = block.type === "audio" ? (block.transcript?.trim() ?? "") : "";
	if (said === "") return leftOut(block, block.type === "audio" ? "sound" : "a film", encoding);
	encoding.losses.node(block, "the upstream cannot take sound; it is told the transcript");
	return [{ type: "text", text: said }];
};

/** A block of a user's turn or of a tool's result; the result itself is encoded by `encodeResult`. */
export const encodeGiven = (block: Block, encoding: Encoding): readonly WireRecord[] => {
	switch (block.type) {
		case "text":
			return encodeText(block, encoding);
		case "refusal":
			return encodeText({ type: "text", text: block.text }, encoding);
		case "image":
			return encodeImage(block, encoding);
		case "document":
			return encodeDocument(block, encoding);
		case "audio":
		case "video":
			return encodeSound(block, encoding);
		case "search_result":
			return [
				{
					type: "search_result",
					source: block.source,
					title: block.title,
					content: block.content.flatMap((part) => (part.type === "text" ? encodeText(part, encoding) : [])),
					...definedOnly({
						citations: block.citationsEnabled === undefined ? undefined : { enabled: block.citationsEnabled },
					}),
					...cacheMember(block, encoding),
				},
			];
		case "unknown":
			return encodeUnknown(block, encoding);
		default:
			encoding.losses.node(block, "the upstream has no place for it here");
			return [];
	}
};

const encodeUnknown = (block: UnknownBlock, { family, losses }: Encoding): readonly WireRecord[] => {
	if (isOwn(block.origin, family) && isRecord(block.raw)) return [block.raw];
	losses.node(block, "a block that only its own maker understands was left out");
	return [];
};

/** A result, and the pictures that must stand beside it because the model takes none within. */
export const encodeResult = (
	block: ToolResultBlock,
	encoding: Encoding,
): { readonly result: WireRecord; readonly beside: readonly WireRecord[] } => {
	const beside: WireRecord[] = [];
	const content = block.content.flatMap((part): readonly WireRecord[] => {
		if (part.type !== "image" || encoding.imagesInToolResults || isInDocument(part)) return encodeGiven(part, encoding);
		beside.push(...encodeImage(part, encoding));
		return [{ type: "text", text: "[The picture follows after the results.]" }];
	});
	if (block.content.length === 0 && block.structured !== undefined)
		content.push({ type: "text", text: JSON.stringify(block.structured) });
	const [only] = content;
	const plain = content.length === 1 && only?.["type"] === "text" && only["cache_control"] === undefined;
	const result = {
		type: "tool_result",
		tool_use_id: safeId(block.callId),
		...(content.length > 0 && { content: plain ? only["text"] : content }),
		...(block.isError === true && { is_error: true }),
		...block.extras?.[protocolName],
		...cacheMember(block, encoding),
	};
	return { result, beside };
};

const encodeCall = (block: ToolCallBlock, encoding: Encoding): WireRecord => ({
	type: "tool_use",
	id: safeId(block.id),
	name: encoding.names.upstream(block.name, block.namespace),
	input: inputOf(block.arguments),
	...block.extras?.[protocolName],
	...cacheMember(block, encoding),
});

const foreignThought = (block: Block, { losses }: Encoding): readonly WireRecord[] => {
	losses.node(block, "reasoning in the history that this model did not sign was left out");
	return [];
};

/** What the model said. */
export const encodeAssistantBlock = (block: Block, encoding: Encoding): readonly WireRecord[] => {
	const { family, losses } = encoding;
	switch (block.type) {
		case "thinking": {
			const signature = nativeValue(block.signature, family);
			const isPlain = encoding.unsignedThinking && block.signature === undefined;
			if (signature === undefined && !isPlain) return foreignThought(block, encoding);
			return [{ type: "thinking", thinking: block.text, signature: signature ?? "" }];
		}
		case "opaque_thinking": {
			const data = nativeValue(block.data, family);
			return data === undefined ? foreignThought(block, encoding) : [{ type: "redacted_thinking", data }];
		}
		case "tool_call":
			return [encodeCall(block, encoding)];
		case "server_call":
		case "server_result":
			if (block.raw && isOwn(block.raw.origin, family) && isRecord(block.raw.value)) return [block.raw.value];
			if (runAsText(block) !== undefined) return [{ type: "text", text: runAsText(block)?.trim() }];
			losses.node(block, "calls of another provider's own tools in the history were left out");
			return [];
		case "image":
		case "document":
		case "video":
			return leftOut(block, `${block.type} that a model made`, encoding);
		default:
			return encodeGiven(block, encoding);
	}
};
