/** A neutral stream under guards: words are held back until they have been seen, everything else keeps its place. */
import type { AnswerWords } from "../../contract/guard.ts";
import type { Block } from "../../neutral/content.ts";
import type { Delta, NeutralEvent } from "../../neutral/response.ts";
import type { GrowingWords, GuardedWords } from "./guarded-words.ts";

type WordsType = AnswerWords["type"];

/** A growing text of an open block. */
interface Growing {
	readonly words: GrowingWords;
	/** The last delta of it, for the shape of the next. */
	delta: TextDelta;
}

type TextDelta = Extract<Delta, { readonly text: string }>;

const wordsType = (block: Block | undefined, delta: TextDelta): WordsType =>
	delta.type === "arguments" && block?.type === "tool_call" && block.kind === "custom" ? "text" : delta.type;

export class GuardedEvents {
	private readonly guarded: GuardedWords;
	private readonly shells = new Map<number, Block>();
	private readonly growing = new Map<number, Growing>();
	/** The signature of a text of which words are held back: it stands behind all of them. */
	private readonly signatures = new Map<number, Delta>();

	constructor(guarded: GuardedWords) {
		this.guarded = guarded;
	}

	/** What may go on, in the order in which it is to be written. */
	async through(events: Iterable<NeutralEvent>): Promise<readonly NeutralEvent[]> {
		const out: NeutralEvent[] = [];
		for (const event of events) await this.push(event, out);
		return out;
	}

	private async push(event: NeutralEvent, out: NeutralEvent[]): Promise<void> {
		switch (event.type) {
			case "open":
				this.shells.set(event.block, event.shell);
				out.push({ ...event, shell: await this.whole(event.shell) });
				return;
			case "delta":
				return await this.delta(event.block, event.delta, out);
			case "close":
				await this.flush(event.block, out);
				this.shells.delete(event.block);
				out.push(event.final ? { ...event, final: await this.whole(event.final) } : event);
				return;
			case "finish":
			case "grounding":
				out.push(await this.guarded.node(event));
				return;
			case "end":
			case "error":
				for (const block of [...this.growing.keys()]) await this.flush(block, out);
				out.push(event);
				return;
			default:
				out.push(event);
		}
	}

	private async delta(block: number, delta: Delta, out: NeutralEvent[]): Promise<void> {
		if (delta.type === "signature" && this.growing.has(block)) {
			this.signatures.set(block, delta);
			return;
		}
		if (delta.type === "signature" || delta.type === "media") {
			out.push({ type: "delta", block, delta });
			return;
		}
		// The words as the model's own pieces would tell what the guards took out.
		if (delta.type === "logprobs") return;
		if (!("text" in delta)) {
			out.push({ type: "delta", block, delta: await this.guarded.node(delta) });
			return;
		}
		let growing = this.growing.get(block);
		if (growing && partOf(growing.delta) !== partOf(delta)) {
			await this.flush(block, out);
			growing = undefined;
		}
		growing ??= { words: this.guarded.grow(wordsType(this.shells.get(block), delta)), delta };
		this.growing.set(block, growing);
		growing.delta = delta;
		const text = await growing.words.take(delta.text, false);
		if (text !== "") out.push({ type: "delta", block, delta: { ...delta, text } });
	}

	/** The rest of a text that grows no more. */
	private async flush(block: number, out: NeutralEvent[]): Promise<void> {
		const growing = this.growing.get(block);
		if (!growing) return;
		this.growing.delete(block);
		const text = await growing.words.take("", true);
		if (text !== "") out.push({ type: "delta", block, delta: { ...growing.delta, text } });
		const signature = this.signatures.get(block);
		if (signature) out.push({ type: "delta", block, delta: signature });
		this.signatures.delete(block);
	}

	private async whole(block: Block): Promise<Block> {
		if (block.type === "text" && block.logprobs) {
			const { logprobs: _, ...rest } = block;
			return await this.guarded.node<Block>(rest);
		}
		return await this.guarded.node(block);
	}
}

const partOf = (delta: TextDelta): string => `${delta.type} ${delta.type === "thinking" ? (delta.part ?? 0) : 0}`;
