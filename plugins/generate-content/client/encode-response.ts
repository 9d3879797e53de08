/** A neutral response as a whole `GenerateContentResponse`. */
import {
	type Block,
	type Candidate,
	type EncodedResponse,
	flatName,
	gapBetween,
	type NeutralRequest,
	type NeutralResponse,
	pausedLoss,
	type TextBlock,
	type TokenLogprob,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { masked } from "../field-mask.ts";
import { encodeBlockReason, encodeFinish } from "../finish.ts";
import { encodeLogprobs } from "../logprobs.ts";
import { isUnsigned, markedPart, ownExtras, unseenMark, writeSignature } from "../signatures.ts";
import { bytesBefore } from "../text-offsets.ts";
import { encodeUsage } from "../usage.ts";
import { bearsMark, hidesThoughts, queriesOf, wholePart, wordsOf } from "./answer-part.ts";
import { type CitedText, encodeGrounding } from "./encode-grounding.ts";
import { ShownThought } from "./shown-thought.ts";

/** What is gathered beside the parts of a candidate. */
interface Gathered {
	readonly texts: readonly CitedText[];
	readonly queries: readonly string[];
	readonly logprobs: readonly TokenLogprob[];
	/** The last call whose arguments were no JSON, so that it could not be told as one. */
	readonly brokenCall: ToolCallBlock | undefined;
}

class PartsEncoder {
	readonly parts: WireRecord[] = [];
	readonly texts: CitedText[] = [];
	readonly queries: string[] = [];
	readonly logprobs: TokenLogprob[] = [];
	brokenCall: ToolCallBlock | undefined;
	private readonly hides: boolean;
	/** The text of the last part, while more may be added to it. */
	private growing: string | undefined;
	private lastText: TextBlock | undefined;
	/** Of reasoning that shows nothing, for the part that follows. */
	private mark: string | undefined;
	private readonly shown = new ShownThought();

	constructor(request: NeutralRequest) {
		this.hides = hidesThoughts(request);
	}

	block(block: Block): void {
		this.queries.push(...queriesOf(block));
		const mark = unseenMark(block, this.hides);
		if (mark !== undefined) this.hold(mark);
		else if (block.type === "text") this.text(block);
		else if (block.type === "thinking") this.thinking(block);
		else {
			const part = block.type === "refusal" ? { text: block.text } : wholePart(block);
			if (part) this.add(part);
			else if (block.type === "tool_call") this.brokenCall = block;
			this.text({ type: "text", text: wordsOf(block) });
		}
	}

	/** All blocks were told. */
	end(): void {
		if (this.mark !== undefined) this.parts.push(markedPart(this.mark));
		this.mark = undefined;
	}

	private hold(mark: string): void {
		this.end();
		this.growing = undefined;
		this.mark = mark;
	}

	private add(part: WireRecord): void {
		this.growing = undefined;
		this.push(part);
	}

	private push(part: WireRecord): void {
		const { mark } = this;
		const bears = mark !== undefined && bearsMark(part);
		const shown = this.shown.markFor(part);
		if (bears) {
			this.mark = undefined;
			this.shown.goOn();
		} else this.end();
		const thoughtSignature = bears ? mark : shown;
		this.parts.push(thoughtSignature === undefined ? part : { ...part, thoughtSignature });
	}

	/** Texts that stand side by side are one part, as Gemini gives them; a signed one stays by itself. */
	private text(block: Extract<Block, { type: "text" }>): void {
		const { text, signature, citations, logprobs } = block;
		if (text === "" && !signature) return;
		const gap = text === "" ? "" : gapBetween(this.lastText, block);
		const said = gap + text;
		if (text !== "") this.lastText = block;
		const before = signature ? undefined : this.growing;
		if (before === undefined)
			this.push({ text: said, ...(signature && { thoughtSignature: writeSignature(signature) }) });
		else this.parts[this.parts.length - 1] = { ...this.parts.at(-1), text: before + said };
		this.growing = signature ? undefined : (before ?? "") + said;
		this.logprobs.push(...(logprobs ?? []));
		if (!citations || citations.length === 0) return;
		const offset = (before === undefined ? 0 : bytesBefore(before, before.length)) + gap.length;
		this.texts.push({ text, citations, part: this.parts.length - 1, offset });
	}

	private thinking({ text, signature: told }: Extract<Block, { type: "thinking" }>): void {
		const signature = told && isUnsigned(told) ? undefined : told;
		const shown = this.hides ? "" : text;
		if (shown === "" && !signature) return;
		this.add({ text: shown, thought: true, ...(signature && { thoughtSignature: writeSignature(signature) }) });
		if (signature) this.shown.show(shown, signature);
	}
}

const mean = (items: readonly TokenLogprob[]): number =>
	items.reduce((sum, { logprob }) => sum + logprob, 0) / items.length;

/** A call that is none, in Google's words for one. */
const malformed = ({ name, namespace, arguments: { text } }: ToolCallBlock): string =>
	`Malformed function call: ${flatName(name, namespace)}(${text})`;

/** The members of a candidate that tell how it ended and what was found; all but its content. */
export const candidateEnd = (
	{ index, finish, grounding, extras }: Omit<Candidate, "blocks">,
	gathered: Gathered,
): WireRecord => {
	const groundingMetadata = encodeGrounding(gathered.texts, grounding, gathered.queries);
	const { logprobs, brokenCall } = gathered;
	const broken = brokenCall && finish.reason === "tool_calls";
	const message = finish.message ?? (brokenCall && malformed(brokenCall));
	const own = ownExtras(extras);
	// With the token for it a client asks for more; without, it would be told of more that it cannot have.
	const ending = own["continuationToken"] === undefined ? encodeFinish(finish) : "CONTINUATION";
	return {
		finishReason: broken ? "MALFORMED_FUNCTION_CALL" : ending,
		index,
		...(message !== undefined && { finishMessage: message }),
		...(groundingMetadata && { groundingMetadata }),
		...(logprobs.length > 0 && { avgLogprobs: mean(logprobs), logprobsResult: encodeLogprobs(logprobs) }),
		...own,
	};
};

const encodeCandidate = (candidate: Candidate, request: NeutralRequest): WireRecord => {
	const encoder = new PartsEncoder(request);
	for (const block of candidate.blocks) encoder.block(block);
	encoder.end();
	const { parts } = encoder;
	return {
		content: parts.length > 0 ? { parts, role: "model" } : { role: "model" },
		...candidateEnd(candidate, encoder),
	};
};

/** The members of an answer that concern all of it. */
export const answerEnd = (response: Omit<NeutralResponse, "candidates">, request: NeutralRequest): WireRecord => {
	const { usage, tier, promptBlocked, extras } = response;
	const { modelStatus } = ownExtras(extras);
	return {
		...(promptBlocked && { promptFeedback: { blockReason: encodeBlockReason(promptBlocked.reason) } }),
		...(usage && { usageMetadata: encodeUsage(usage, tier) }),
		modelVersion: request.model,
		responseId: response.id,
		...(modelStatus !== undefined && { modelStatus }),
	};
};

/** The answer as the published schema has it, under the model's name that the client asked for. */
export const encodeResponse = (response: NeutralResponse, request: NeutralRequest): EncodedResponse => {
	const { candidates } = response;
	const body = {
		...(candidates.length > 0 && { candidates: candidates.map((candidate) => encodeCandidate(candidate, request)) }),
		...answerEnd(response, request),
	};
	const pauses = candidates.some(({ finish }) => finish.reason === "pause");
	return { body: masked(body, request.raw), ...(pauses && { losses: [pausedLoss] }) };
};

/** The answer of `countTokens`. */
export const encodeTokenCount = (tokens: number): WireRecord => ({ totalTokens: tokens });
