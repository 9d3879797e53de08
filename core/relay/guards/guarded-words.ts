/** Shows the words of one answer to its guards: whole texts at once, growing ones by windows. */
import { type Denial, Fault } from "../../contract/fault.ts";
import type { AnswerGuard, AnswerWords } from "../../contract/guard.ts";
import { describe } from "../../errors/describe.ts";
import { mapAnswerTexts, mapTexts } from "../../neutral/map-texts.ts";
import { isPending } from "../../wire/pending.ts";
import { guardFailed, type NamedAnswerGuard } from "../call/guarded.ts";
import type { LiveCall } from "../call/live-call.ts";
import { refusalIn, wordsIn } from "../policies/plugin-answers.ts";

/** A guard says no to what the upstream answered, or could not look at it (`error`). Gives what to throw. */
const refused = (live: LiveCall, guard: string, denial: Denial, error?: unknown): Fault => {
	live.refusedBy = guard;
	live.stoppedFor = denial;
	const { log } = live.options;
	if (error !== undefined)
		log.error("a guard failed; the answer is refused", { guard, callId: live.routed.id, error: describe(error) });
	return new Fault(denial);
};

/** Of texts so short so many are asked about once in an answer. */
const [longestKept, mostKept] = [64, 1_000];

type WordsType = AnswerWords["type"];

/** One growing text on its way through one guard. */
class Window {
	private held = "";
	private fresh = 0;
	private readonly guard: AnswerGuard;
	private readonly ask: (words: AnswerWords) => Promise<string>;

	constructor(guard: AnswerGuard, ask: (words: AnswerWords) => Promise<string>) {
		this.guard = guard;
		this.ask = ask;
	}

	/** What may go on. */
	async take(type: WordsType, text: string, last: boolean): Promise<string> {
		this.held += text;
		this.fresh += text.length;
		const { window, every = 1 } = this.guard;
		if (!last && this.fresh < every) return "";
		if (this.held === "") return "";
		this.fresh = 0;
		const seen = await this.ask({ type, text: this.held, last });
		let keep = last ? 0 : Math.min(seen.length, Math.max(0, window - 1));
		// A pair of surrogates is one character.
		if (keep > 0 && isLowSurrogate(seen.charCodeAt(seen.length - keep))) keep = Math.min(seen.length, keep + 1);
		this.held = seen.slice(seen.length - keep);
		return seen.slice(0, seen.length - keep);
	}
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** A text that grows, on its way through all guards. */
export class GrowingWords {
	private readonly windows: readonly Window[];
	private readonly type: WordsType;

	constructor(type: WordsType, windows: readonly Window[]) {
		this.type = type;
		this.windows = windows;
	}

	async take(text: string, last: boolean): Promise<string> {
		let through = text;
		for (const window of this.windows) through = await window.take(this.type, through, last);
		return through;
	}
}

export class GuardedWords {
	private readonly answers: readonly NamedAnswerGuard[];
	private readonly live: LiveCall;
	/** What guards made of short texts, which stand again and again in what a vendor says of its own. */
	private readonly said = new Map<string, string>();

	constructor(answers: readonly NamedAnswerGuard[], live: LiveCall) {
		this.answers = answers;
		this.live = live;
	}

	grow(type: WordsType): GrowingWords {
		const windows = this.answers.map(({ guard, name }) => new Window(guard, (words) => this.ask(name, guard, words)));
		return new GrowingWords(type, windows);
	}

	/** A text that is all there. */
	async whole(text: string): Promise<string> {
		let through = text;
		for (const { name, guard } of this.answers)
			through = await this.ask(name, guard, { type: "text", text: through, last: true });
		return through;
	}

	/** Every text in a neutral value; the same object when none changed. `seen`: texts that were asked about, and what was said. */
	node<T extends object>(node: T, seen?: ReadonlyMap<string, string>): Promise<T> {
		return this.mapped(node, (change) => mapTexts(node, change), seen);
	}

	json(value: unknown): Promise<unknown> {
		return this.mapped(value, (change) => mapAnswerTexts(value, change));
	}

	/** Guards may take their time, and the walk through a value may not: first all texts are asked about, then they are put in. */
	private async mapped<T>(
		value: T,
		map: (change: (text: string) => string) => T,
		seen?: ReadonlyMap<string, string>,
	): Promise<T> {
		const words = new Map<string, string>();
		map((text) => {
			words.set(text, text);
			return text;
		});
		let changed = false;
		for (const text of words.keys()) {
			if (text === "") continue;
			const next = seen?.get(text) ?? this.said.get(text) ?? (await this.whole(text));
			if (text.length <= longestKept && this.said.size < mostKept) this.said.set(text, next);
			if (next !== text) changed = true;
			words.set(text, next);
		}
		return changed ? map((text) => words.get(text) ?? text) : value;
	}

	private async ask(name: string, guard: AnswerGuard, words: AnswerWords): Promise<string> {
		// What it does to the object is not what it says.
		const { text } = words;
		let said: string | Denial;
		try {
			const asked = guard.inspect(words);
			said = wordsIn(isPending(asked) ? await asked : asked, text);
		} catch (error) {
			const refusal = refusalIn(error);
			throw refusal ? refused(this.live, name, refusal) : refused(this.live, name, guardFailed, error);
		}
		if (typeof said === "string") return said;
		throw refused(this.live, name, said);
	}
}
