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
	/** The text and what guards made of it, where it came in one piece, so that they saw all of it at once. */
	whole: { readonly text: string; left: string } | undefined;
}

type TextDelta = Extract<Delta, { readonly text: string }>;

const wordsType = (block: Block | undefined, delta: TextDelta): WordsType =>
	delta.type === "arguments" && block?.type === "tool_call" && block.kind === "custom" ? "text" : delta.type;

export class GuardedEvents {
	private readonly guarded: GuardedWords;
	private readonly shells = new Map<number, Block>();
	private readonly growing = new Map<number, Growing>();
	/** What guards made of texts of an open block, which stand once more in the block as a whole. */
	private readonly seen = new Map<number, Map<string, string>>();
	/** The signature of a text of which words are held back: it stands behind all of them. */
	private readonly signatures = new Map<number, Delta>();

	constructor(guarded: GuardedWords) {
		this.guarded = guarded;
	}

	/** What may go on, in the order in which it is to be written. */
	async through(events: Iterable<NeutralEvent>): Promise<readonly NeutralEvent[]> {
		const out: NeutralEvent[] = [];
		const all = [...events];
		const last = lastWords(all);
		for (const event of all) await this.push(event, last.has(event), out);
		return out;
	}

	private async push(event: NeutralEvent, isLast: boolean, out: NeutralEvent[]): Promise<void> {
		switch (event.type) {
			case "open":
				this.shells.set(event.block, event.shell);
				out.push({ ...event, shell: await this.whole(event.shell) });
				return;
			case "delta":
				return await this.delta(event.block, event.delta, isLast, out);
			case "close":
				await this.flush(event.block, out);
				this.shells.delete(event.block);
				out.push(event.final ? { ...event, final: await this.whole(event.final, this.seen.get(event.block)) } : event);
				this.seen.delete(event.block);
				return;
			case "finish":
				out.push(await this.guarded.node(event, vendorsWord(event.finish.raw)));
				return;
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

	private async delta(block: number, delta: Delta, isLast: boolean, out: NeutralEvent[]): Promise<void> {
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
		if (growing) growing.whole = undefined;
		else {
			const words = this.guarded.grow(wordsType(this.shells.get(block), delta));
			growing = { words, delta, whole: { text: delta.text, left: "" } };
		}
		this.growing.set(block, growing);
		growing.delta = delta;
		const text = await growing.words.take(delta.text, isLast);
		if (growing.whole) growing.whole.left = text;
		if (text !== "") out.push({ type: "delta", block, delta: { ...delta, text } });
	}

	/** The rest of a text that grows no more. */
	private async flush(block: number, out: NeutralEvent[]): Promise<void> {
		const growing = this.growing.get(block);
		if (!growing) return;
		this.growing.delete(block);
		const text = await growing.words.take("", true);
		if (text !== "") out.push({ type: "delta", block, delta: { ...growing.delta, text } });
		if (growing.whole) {
			const seen = this.seen.get(block) ?? new Map<string, string>();
			this.seen.set(block, seen.set(growing.whole.text, growing.whole.left + text));
		}
		const signature = this.signatures.get(block);
		if (signature) out.push({ type: "delta", block, delta: signature });
		this.signatures.delete(block);
	}

	private async whole(block: Block, seen?: ReadonlyMap<string, string>): Promise<Block> {
		if (block.type === "text" && block.logprobs) {
			const { logprobs: _, ...rest } = block;
			return await this.guarded.node<Block>(rest, seen);
		}
		return await this.guarded.node(block, seen);
	}
}

/** The last words of each text that ends among these events: nothing has to be held back of them. */
const lastWords = (events: readonly NeutralEvent[]): ReadonlySet<NeutralEvent> => {
	const last = new Set<NeutralEvent>();
	const latest = new Map<number, NeutralEvent>();
	for (const event of events) {
		if (event.type === "delta" && "text" in event.delta) latest.set(event.block, event);
		const words = event.type === "close" ? latest.get(event.block) : undefined;
		if (words) last.add(words);
	}
	return last;
};

/** The vendor's word for how an answer ended says nothing of it; what is no word is looked at. */
const vendorsWord = (raw: string | undefined): ReadonlyMap<string, string> | undefined =>
	raw !== undefined && /^[A-Za-z_]{1,40}$/.test(raw) ? new Map([[raw, raw]]) : undefined;

const partOf = (delta: TextDelta): string => `${delta.type} ${delta.type === "thinking" ? (delta.part ?? 0) : 0}`;
