/** Lets the blocks of a stream out in good order: numbered from 0, opened when there is something to say, closed once. */
import type { Block } from "./content.ts";
import { DistinctNames } from "./distinct-names.ts";
import { deltasOf, shellOf } from "./explode.ts";
import type { Delta, NeutralEvent } from "./response.ts";

type Of<T extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: T }>;

/** One block of the upstream. `number` is set when it went out; until then its deltas wait in `held`. */
interface Gated {
	readonly candidate: number;
	shell: Block;
	number: number | undefined;
	readonly held: Delta[];
	/** The text that came, by sort of delta (thinking by part). */
	readonly texts: Map<string, string>;
	/** How many deltas came of each sort that has no text. */
	readonly counts: Map<string, number>;
}

const none: readonly NeutralEvent[] = [];
const nothingTold: ReadonlySet<Block["type"]> = new Set();

/** What makes each block grow; a block that is not here opens whole. `true`: it waits for its first such delta. */
const growth: Partial<Record<Block["type"], Partial<Record<Delta["type"], boolean>>>> = {
	text: { text: true, citation: true, signature: true, logprobs: false, extras: false },
	thinking: { thinking: true, signature: true, extras: false },
	refusal: { refusal: true, extras: false },
	tool_call: { arguments: false, signature: false, extras: false },
	server_call: { arguments: false, signature: false, extras: false },
	image: { media: false, signature: false, extras: false },
	audio: { media: false, transcript: false, extras: false },
};
const waitsToGrow: ReadonlySet<Block["type"]> = new Set(["text", "thinking", "refusal"]);

export class BlockGate {
	private readonly makeId: (block: number) => string;
	private readonly gated = new Map<number, Gated>();
	private next = 0;
	/** Of the calls that went out: clients take two calls of one id for one. */
	private callIds: DistinctNames | undefined;
	/** Candidates that said something, with the types of the blocks that went out. */
	readonly candidates = new Map<number, Set<Block["type"]>>();

	/** `makeId` gives a tool call its id when the upstream gave none. */
	constructor(makeId: (block: number) => string) {
		this.makeId = makeId;
	}

	/** The types of the candidate's blocks that went out. */
	told(candidate: number): ReadonlySet<Block["type"]> {
		return this.candidates.get(candidate) ?? nothingTold;
	}

	/** A block that is announced again goes on; of a call that waits, what is told now is taken. */
	open({ block, candidate, shell: whole }: Of<"open">): readonly NeutralEvent[] {
		const known = this.gated.get(block);
		if (known?.shell.type === whole.type) return this.complete(known, whole);
		const before = known ? this.close({ type: "close", block }) : none;
		const shell = shellOf(whole);
		const deltas = deltasOf(whole);
		const gated: Gated = { candidate, shell, number: undefined, held: [], texts: new Map(), counts: new Map() };
		this.gated.set(block, gated);
		const opened = waitsToGrow.has(shell.type) ? none : this.complete(gated, shell);
		if (deltas.length === 0 && before === none) return opened;
		return [...before, ...opened, ...deltas.flatMap((delta) => this.take(gated, delta))];
	}

	delta(event: Of<"delta">): readonly NeutralEvent[] {
		const gated = this.gated.get(event.block);
		return gated ? this.take(gated, event.delta, event) : none;
	}

	close({ block, final: told }: Of<"close">): readonly NeutralEvent[] {
		const gated = this.gated.get(block);
		if (!gated) return none;
		this.gated.delete(block);
		const final = told?.type === gated.shell.type ? told : undefined;
		const events: NeutralEvent[] = [];
		if (final) for (const delta of untold(gated, final)) events.push(...this.take(gated, delta));
		if (gated.number === undefined && gated.shell.type === "tool_call") {
			events.push(...this.complete(gated, final ?? gated.shell));
			events.push(...this.complete(gated, { ...gated.shell, id: this.makeId(this.next) }));
		}
		if (gated.number === undefined) return none;
		events.push({ type: "close", block: gated.number, ...(final && { final: alike(final, gated.shell) }) });
		return events;
	}

	/** Closes what is open, in the order it was opened. */
	closeAll(): readonly NeutralEvent[] {
		if (this.gated.size === 0) return none;
		return [...this.gated.keys()].flatMap((block) => this.close({ type: "close", block }));
	}

	/** `event` is the delta's own event, sent on as it is when the block kept its number. */
	private take(gated: Gated, delta: Delta, event?: Of<"delta">): readonly NeutralEvent[] {
		const opens = growth[gated.shell.type]?.[delta.type];
		if (opens === undefined || ("text" in delta && delta.text === "")) return none;
		const sort = sortOf(delta);
		if ("text" in delta) gated.texts.set(sort, (gated.texts.get(sort) ?? "") + delta.text);
		else gated.counts.set(sort, (gated.counts.get(sort) ?? 0) + 1);
		if (gated.number !== undefined)
			return [event?.block === gated.number ? event : { type: "delta", block: gated.number, delta }];
		gated.held.push(delta);
		return opens ? this.release(gated) : none;
	}

	/** Lets a block out that waits for nothing, or for no more than `told` tells of a call. */
	private complete(gated: Gated, told: Block): readonly NeutralEvent[] {
		if (gated.number !== undefined || waitsToGrow.has(gated.shell.type)) return none;
		if (gated.shell.type === "tool_call" && told.type === "tool_call") {
			const { id, name } = gated.shell;
			gated.shell = { ...gated.shell, id: id || told.id, name: name || told.name };
			if (gated.shell.id === "" || gated.shell.name === "") return none;
		}
		return this.release(gated);
	}

	private release(gated: Gated): readonly NeutralEvent[] {
		if (gated.shell.type === "tool_call") {
			this.callIds ??= new DistinctNames();
			gated.shell = { ...gated.shell, id: this.callIds.take(gated.shell.id) };
		}
		const { candidate, shell, held } = gated;
		const block = this.next++;
		gated.number = block;
		this.candidates.set(candidate, (this.candidates.get(candidate) ?? new Set()).add(shell.type));
		const events: NeutralEvent[] = [{ type: "open", block, candidate, shell }];
		for (const delta of held) events.push({ type: "delta", block, delta });
		held.length = 0;
		return events;
	}
}

const sortOf = (delta: Delta): string => (delta.type === "thinking" ? `thinking ${delta.part ?? 0}` : delta.type);

const letters = (text: string): string => text.replaceAll(/\s/g, "");

/** What the final block tells beyond the deltas that came; nothing of a text that went another way. */
const untold = ({ texts, counts }: Gated, final: Block): readonly Delta[] => {
	// one side may tell summary parts that the other told as one text
	const thought = final.type === "thinking" && letters([...texts.values()].join("")) === letters(final.text);
	const left: Delta[] = [];
	for (const delta of deltasOf(final)) {
		const sort = sortOf(delta);
		if ("text" in delta) {
			const before = texts.get(sort) ?? "";
			const goesOn = delta.text.length > before.length && delta.text.startsWith(before);
			if (goesOn && !thought) left.push({ ...delta, text: delta.text.slice(before.length) });
			continue;
		}
		// The block is closed: what is counted here is asked for no more.
		const before = counts.get(sort) ?? 0;
		counts.set(sort, before - 1);
		if (before <= 0) left.push(delta);
	}
	return left;
};

/** The final block under the id and name it opened with. */
const alike = (final: Block, shell: Block): Block =>
	final.type === "tool_call" && shell.type === "tool_call" ? { ...final, id: shell.id, name: shell.name } : final;
