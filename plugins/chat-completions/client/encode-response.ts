/** A neutral answer as OpenAI's `chat.completion`. */
import {
	type AudioBlock,
	asText,
	type Block,
	type Candidate,
	type EncodedResponse,
	Fault,
	failureOf,
	gapBetween,
	type ImageBlock,
	lookup,
	type NeutralRequest,
	type NeutralResponse,
	type Opaque,
	partSeparator,
	pausedLoss,
	type TextBlock,
	type TokenLogprob,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { Annotations } from "../annotations.ts";
import { ContentLength } from "../content-length.ts";
import { encodeFinish, untoldRefusal } from "../finish.ts";
import { encodeLogprobs } from "../logprobs.ts";
import { addressOf } from "../media.ts";
import { protocolName } from "../name.ts";
import { type ReasoningField, signatureMember, writeOpaque, writeThinking } from "../reasoning.ts";
import { encodeUsage } from "../usage.ts";
import { encodeLegacyCall, encodeLegacyFinish, isLegacy } from "./legacy.ts";

const tiers = lookup<string>({
	auto: "auto",
	default: "default",
	standard: "default",
	flex: "flex",
	scale: "scale",
	priority: "priority",
	fast: "fast",
});

/** OpenAI's word for a service tier; undefined for one it does not have. */
export const encodeTier = (tier: string | undefined): string | undefined =>
	tier === undefined ? undefined : tiers[tier.toLowerCase()];

/** An hour: how long OpenAI keeps the sound of an answer, told where the upstream told nothing. */
const soundKeptSeconds = 3600;

/** The sound of an answer. */
export const encodeAudio = ({ media, id, expiresAt, transcript }: AudioBlock, createdAt: number) => ({
	id: id ?? `audio_${createdAt}`,
	expires_at: expiresAt ?? createdAt + soundKeptSeconds,
	data: media.by === "bytes" ? media.base64 : "",
	transcript: transcript ?? "",
});

/** An image of an answer, in the form that several vendors share; undefined for one without an address, or of a thought. */
export const encodeImage = (block: ImageBlock, index: number): WireRecord | undefined => {
	const url = addressOf(block.media);
	if (url === undefined || block.thought === true) return undefined;
	return { type: "image_url", image_url: { url }, index, ...signatureMember(block.signature) };
};

const encodeCall = (block: ToolCallBlock): WireRecord => {
	const { id, name, arguments: given } = block;
	const signed = signatureMember(block.signature);
	if (block.kind === "custom") return { id, type: "custom", custom: { name, input: given.text }, ...signed };
	return { id, type: "function", function: { name, arguments: given.text === "" ? "{}" : given.text }, ...signed };
};

/** What one message gathers: the protocol has a field for each sort of content, not one order. */
class Message {
	private readonly createdAt: number;
	private readonly legacy: boolean;
	private text: string | undefined;
	private lastText: TextBlock | undefined;
	private refusal: string | undefined;
	private readonly length = new ContentLength();
	readonly annotations = new Annotations(this.length);
	private readonly logprobs: TokenLogprob[] = [];
	private readonly calls: ToolCallBlock[] = [];
	private readonly images: WireRecord[] = [];
	private readonly details: WireRecord[] = [];
	private readonly reasoning = new Map<ReasoningField, string>();
	private audio: WireRecord | undefined;
	private signature: Opaque | undefined;

	constructor(createdAt: number, legacy: boolean) {
		this.createdAt = createdAt;
		this.legacy = legacy;
	}

	add(block: Block): void {
		switch (block.type) {
			case "text":
				this.addText(block);
				return;
			case "refusal":
				this.refusal = (this.refusal ?? "") + block.text;
				return;
			case "tool_call":
				this.calls.push(block);
				return;
			case "thinking":
				this.addThinking(block);
				return;
			case "opaque_thinking":
				this.details.push(writeOpaque(block.data, this.details.length));
				return;
			case "audio":
				this.audio = encodeAudio(block, this.createdAt);
				return;
			case "image":
				this.addImage(block);
				return;
			default:
			// What the upstream's own tools did, and what nobody knows, has no place in this protocol.
		}
	}

	private addText(block: Extract<Block, { type: "text" }>): void {
		if (block.text !== "") {
			if (this.text) this.say(gapBetween(this.lastText, block));
			this.lastText = block;
		}
		const start = this.length.units;
		this.say(block.text);
		if (block.text !== "") this.annotations.begin(start);
		this.annotations.cite(block.citations ?? [], start, block.text.length);
		this.logprobs.push(...(block.logprobs ?? []));
		this.signature = block.signature ?? this.signature;
	}

	private say(text: string): void {
		this.text = (this.text ?? "") + text;
		this.length.add(text);
	}

	private addThinking(block: Extract<Block, { type: "thinking" }>): void {
		const { field, detail } = writeThinking(block, this.details.length);
		const before = this.reasoning.get(field);
		if (block.text !== "")
			this.reasoning.set(field, before === undefined ? block.text : before + partSeparator + block.text);
		if (detail !== undefined) this.details.push(detail);
	}

	private addImage(block: ImageBlock): void {
		const image = encodeImage(block, this.images.length);
		if (image !== undefined) this.images.push(image);
	}

	private content(): string | null {
		if (this.text !== undefined) return this.text;
		return this.calls.length > 0 || this.refusal !== undefined || this.audio !== undefined ? null : "";
	}

	written(): WireRecord {
		return {
			role: "assistant",
			content: this.content(),
			refusal: this.refusal ?? null,
			...Object.fromEntries(this.reasoning),
			...(this.details.length === 0 ? {} : { reasoning_details: this.details }),
			annotations: this.annotations.told,
			...(this.audio === undefined ? {} : { audio: this.audio }),
			...(this.images.length === 0 ? {} : { images: this.images }),
			...this.called(),
		};
	}

	private called(): WireRecord {
		const [first] = this.calls;
		// Beside calls a signature of the text would be taken for the first call's.
		if (first === undefined) return signatureMember(this.signature);
		return this.legacy ? { function_call: encodeLegacyCall(first) } : { tool_calls: this.calls.map(encodeCall) };
	}

	get isRefusal(): boolean {
		return this.refusal !== undefined;
	}

	get writtenLogprobs(): WireRecord | null {
		return this.logprobs.length === 0 ? null : { content: encodeLogprobs(this.logprobs), refusal: null };
	}
}

const choiceOf = (candidate: Candidate, createdAt: number, legacy: boolean): WireRecord => {
	const message = new Message(createdAt, legacy);
	for (const block of candidate.blocks) message.add(block);
	if (candidate.grounding) message.annotations.ground(candidate.grounding);
	const finish_reason = (legacy ? encodeLegacyFinish : encodeFinish)(candidate.finish, message.isRefusal);
	const why = untoldRefusal(candidate.finish, message.isRefusal);
	if (why !== undefined) message.add({ type: "refusal", text: why });
	return {
		index: candidate.index,
		message: message.written(),
		logprobs: message.writtenLogprobs,
		finish_reason,
	};
};

/** A prompt that was blocked is an answer without content, as OpenAI gives one. */
const blockedChoice = (message: string | undefined): WireRecord => ({
	index: 0,
	message: { role: "assistant", content: null, refusal: message ?? null, annotations: [] },
	logprobs: null,
	finish_reason: "content_filter",
});

const choicesOf = ({ candidates, promptBlocked, createdAt }: NeutralResponse, legacy: boolean): WireRecord[] => {
	if (candidates.length > 0) return candidates.map((candidate) => choiceOf(candidate, createdAt, legacy));
	return promptBlocked === undefined ? [] : [blockedChoice(promptBlocked.message)];
};

/** Encodes an answer; the model is the one the client asked for. Throws the answer's own failure as `Fault`. */
export const encodeResponse = (response: NeutralResponse, request: NeutralRequest): EncodedResponse => {
	if (response.error !== undefined) throw new Fault(response.error);
	const failures = response.candidates.map(({ finish }) => failureOf(finish));
	if (failures[0] !== undefined && !failures.includes(undefined)) throw new Fault(failures[0]);
	const choices = choicesOf(response, isLegacy(request));
	if (choices.length === 0)
		throw new Fault({ kind: "upstream", message: "The upstream's answer is empty. Ask again." });
	const tier = encodeTier(response.tier);
	const fingerprint = asText(response.extras?.[protocolName]?.["system_fingerprint"]);
	const body = {
		id: response.id,
		object: "chat.completion",
		created: response.createdAt,
		model: request.model,
		choices,
		...(response.usage === undefined ? {} : { usage: encodeUsage(response.usage) }),
		...(tier === undefined ? {} : { service_tier: tier }),
		...(fingerprint === undefined ? {} : { system_fingerprint: fingerprint }),
	};
	const pauses = response.candidates.some(({ finish }) => finish.reason === "pause");
	return { body, ...(pauses && { losses: [pausedLoss] }) };
};
