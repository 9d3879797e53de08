/**
 * Reasoning for clients that give back the calls of an answer without the reasoning items before them (LlamaIndex, Semantic
 * Kernel, Strands, and Pydantic AI for models it does not know). What a model of another protocol thought is kept for an hour,
 * and put back before its calls; OpenAI's own models go without, as they do at OpenAI.
 */
import {
	asList,
	asRecord,
	asText,
	type Clock,
	changeJsonBody,
	type HeldBytes,
	type ModelAsk,
	parseJson,
	textBytes,
	type WireRecord,
} from "#core";
import { digestOfWords, KeptByToken, type KeptText, keyOfCall, type OfToken } from "../../chat-completions/service.ts";
import { uncarryFor } from "../carrier.ts";
import { ownReasoningMark } from "../origin.ts";

const nothing: KeptText = { text: "", size: 0 };

/** A reasoning item that goes before the call of this id, or to the beginning of the turn. */
interface Thought {
	readonly before?: string;
	readonly item: unknown;
}

const isReasoning = ({ type }: WireRecord): boolean => type === "reasoning";

const callIdOf = ({ type, call_id }: WireRecord): string | undefined =>
	asText(type)?.endsWith("_call") ? asText(call_id) || undefined : undefined;

/** Whether it asks for an answer: a user's words, or what a call gave. */
const asks = ({ type, role }: WireRecord): boolean => role === "user" || asText(type)?.endsWith("_output") === true;

const wordsOf = ({ role, content, output }: WireRecord): unknown => (role === "user" ? content : output);

/** Made here of what an upstream of another protocol told. */
const isOwn = ({ id, encrypted_content: sealed }: WireRecord): boolean =>
	uncarryFor(asText(sealed) ?? "") !== undefined || asText(id)?.startsWith(ownReasoningMark) === true;

/** The reasoning of an answer that calls tools; undefined where there is none that was made here. */
const thoughtsIn = (output: readonly WireRecord[]): readonly Thought[] | undefined => {
	const thoughts = output.flatMap((item, at): readonly Thought[] => {
		if (!isReasoning(item) || !isOwn(item)) return [];
		const next = output.slice(at + 1).find((other) => !isReasoning(other));
		if (next === undefined) return [];
		const before = callIdOf(next);
		return [{ item, ...(before !== undefined && { before }) }];
	});
	return thoughts.length > 0 ? thoughts : undefined;
};

/** What the model did between two questions, as the client sends it. */
interface Turn {
	/** Where it begins in the input. */
	readonly start: number;
	readonly asking: WireRecord;
	callId: string | undefined;
	thinks: boolean;
}

const turnsOf = (input: readonly WireRecord[]): readonly Turn[] => {
	const turns: Turn[] = [];
	let turn: Turn | undefined;
	for (const [index, item] of input.entries()) {
		if (asks(item)) {
			turn = { start: index + 1, asking: item, callId: undefined, thinks: false };
			turns.push(turn);
		} else if (turn && isReasoning(item)) turn.thinks = true;
		else if (turn) turn.callId ??= callIdOf(item);
	}
	return turns;
};

/** The items with the thoughts of some turns in their places, and the places. */
const withThoughts = (input: readonly unknown[], found: ReadonlyMap<number, readonly Thought[]>) => {
	const broughtBack = new Set<string>();
	const items: unknown[] = [];
	const add = (thought: Thought): void => {
		broughtBack.add(`input[${items.length}]`);
		items.push(thought.item);
	};
	let waiting: readonly Thought[] = [];
	for (const [index, item] of input.entries()) {
		const thoughts = found.get(index);
		for (const thought of thoughts ?? []) if (thought.before === undefined) add(thought);
		// Ids may be counted anew in each answer: what has found no call in its turn belongs to none of a later one.
		if (asks(asRecord(item))) waiting = [];
		else waiting = thoughts?.filter(({ before }) => before !== undefined) ?? waiting;
		const id = callIdOf(asRecord(item));
		for (const thought of waiting) if (thought.before === id) add(thought);
		waiting = waiting.filter(({ before }) => before !== id);
		items.push(item);
	}
	return { input: items, broughtBack };
};

const thoughtsOf = (text: string): readonly Thought[] =>
	asList(parseJson(text)).map((thought) => {
		const { before, item } = asRecord(thought);
		return typeof before === "string" ? { before, item } : { item };
	});

export class KeptReasoning {
	private readonly kept: KeptByToken<KeptText>;

	constructor(clock: Clock) {
		this.kept = new KeptByToken(clock, nothing);
	}

	/** The request with what its client left out of its own input. */
	load(ask: ModelAsk, token: string, held: HeldBytes | undefined): ModelAsk {
		const own = this.kept.tokens.get(token);
		if (own === undefined || !ask.body.text.includes("call_id")) return ask;
		const input = asList(ask.body.value["input"]);
		const found = this.found(input.map(asRecord), own, ask);
		const more = [...found.values()].reduce((sum, { size }) => sum + size, 0);
		if (more === 0 || held?.hold(more)) return ask;
		const thoughts = new Map([...found].map(([start, { text }]) => [start, thoughtsOf(text)]));
		const { input: whole, broughtBack } = withThoughts(input, thoughts);
		return { ...ask, body: changeJsonBody(ask.body, { input: whole }), broughtBack };
	}

	save(ask: ModelAsk, token: string, answer: unknown): void {
		const output = asList(asRecord(answer)["output"]).map(asRecord);
		const id = output.map(callIdOf).find((one) => one !== undefined);
		const thoughts = id === undefined ? undefined : thoughtsIn(output);
		if (id === undefined || thoughts === undefined) return;
		const { input } = ask.body.value;
		const asking = typeof input === "string" ? input : wordsOf(asList(input).map(asRecord).findLast(asks) ?? {});
		const text = JSON.stringify(thoughts);
		const key = keyOfCall(ask.call.name, digestOfWords(asking), id);
		this.kept.keep(token, key, { text, size: textBytes(text) });
	}

	/** What was kept of each turn, by where it begins. Turns that have one key get nothing, for it may be of either. */
	private found(
		input: readonly WireRecord[],
		own: OfToken<KeptText>,
		{ call, continues }: ModelAsk,
	): ReadonlyMap<number, KeptText> {
		const turns = turnsOf(input).flatMap(({ start, asking, callId, thinks }) =>
			callId === undefined || thinks || start <= (continues?.items ?? 0)
				? []
				: [{ start, key: keyOfCall(call.name, digestOfWords(wordsOf(asking)), callId) }],
		);
		const times = new Map<string, number>();
		for (const { key } of turns) times.set(key, (times.get(key) ?? 0) + 1);
		const found = new Map<number, KeptText>();
		for (const { start, key } of turns) {
			const kept = times.get(key) === 1 ? this.kept.find(own, key) : nothing;
			if (kept.text !== "") found.set(start, kept);
		}
		return found;
	}
}
