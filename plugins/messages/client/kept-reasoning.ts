/**
 * Thinking for clients that give back the calls of an answer without the thinking before them. What a model of another maker
 * thought, and what it signed its calls with, is kept for an hour and put back where it stood; Claude goes without, as it does
 * at Anthropic.
 */
import {
	asList,
	asRecord,
	asText,
	type Clock,
	changeJsonBody,
	exactBody,
	type HeldBytes,
	type ModelAsk,
	parseJson,
	textBytes,
	type WireRecord,
} from "#core";
import { digestOfWords, KeptByToken, type KeptText, keyOfCall, type OfToken } from "../../chat-completions/service.ts";
import { readCarried } from "../carried.ts";

const nothing: KeptText = { text: "", size: 0 };

/** A block that goes before the call of this id, or to an end of the message. */
interface Thought {
	readonly before: string;
	readonly block: unknown;
}

/** No call has such an id: Anthropic's alphabet of ids has no brackets. */
const [atBeginning, atEnd] = ["[beginning]", "[end]"];

const thinks = ({ type }: WireRecord): boolean => type === "thinking" || type === "redacted_thinking";

const callIdOf = ({ type, id }: WireRecord): string | undefined =>
	type === "tool_use" ? asText(id) || undefined : undefined;

const firstCallIn = (content: readonly WireRecord[]): string | undefined =>
	content.map(callIdOf).find((id) => id !== undefined);

/** Made here of what an upstream of another protocol told. */
const isOwn = ({ signature, data }: WireRecord): boolean =>
	readCarried(asText(signature) ?? asText(data) ?? "") !== undefined;

/** Where a thought goes: what it signs stands behind it, or before it where nothing does. */
const placeAmong = (content: readonly WireRecord[], at: number): string => {
	const next = content.slice(at + 1).find((block) => !thinks(block));
	return next === undefined ? atEnd : (callIdOf(next) ?? atBeginning);
};

const thoughtsIn = (content: readonly WireRecord[]): readonly Thought[] =>
	content.flatMap((block, at) => (thinks(block) && isOwn(block) ? [{ before: placeAmong(content, at), block }] : []));

/** The words that a message of the user says, and what calls gave. */
const wordsOf = ({ content }: WireRecord): unknown =>
	typeof content === "string"
		? content
		: asList(content).flatMap((value) => {
				const block = asRecord(value);
				if (block["type"] !== "tool_result") return [block];
				const given = block["content"];
				return typeof given === "string" ? [{ text: given }] : asList(given);
			});

const isUsers = ({ role }: WireRecord): boolean => role === "user";

const contentOf = ({ content }: WireRecord): readonly WireRecord[] => asList(content).map(asRecord);

/** The id of the first call of a message that came back without any thought. */
const bareCall = (message: WireRecord): string | undefined => {
	if (message["role"] !== "assistant") return undefined;
	const content = contentOf(message);
	return content.some(thinks) ? undefined : firstCallIn(content);
};

const thoughtsOf = (text: string): readonly Thought[] =>
	asList(parseJson(text)).map((thought) => {
		const { before, block } = asRecord(thought);
		return { before: String(before), block };
	});

/** The blocks with the thoughts in their places; `told` is given the place of each. */
const withThoughts = (
	content: readonly unknown[],
	thoughts: readonly Thought[],
	told: (at: number) => void,
): readonly unknown[] => {
	const byPlace = Map.groupBy(thoughts, ({ before }) => before);
	const blocks: unknown[] = [];
	const add = (place: string): void => {
		for (const { block } of byPlace.get(place) ?? []) {
			told(blocks.length);
			blocks.push(block);
		}
		// Once, however many calls of one id a client sends.
		byPlace.delete(place);
	};
	add(atBeginning);
	for (const block of content) {
		add(callIdOf(asRecord(block)) ?? "");
		blocks.push(block);
	}
	add(atEnd);
	return blocks;
};

/** A block of a message, or what is within one. */
const blockPlace = /^(messages\[\d+\]\.content)\[(\d+)\](.*)$/;

/**
 * Tells where the client sent what stands at a place (`messages[1].content[2]`): before it something was put back that the
 * client did not send. Empty for what was put back itself.
 */
export const sentPlaces = (broughtBack: ModelAsk["broughtBack"]): ((place: string) => string) => {
	if (broughtBack === undefined) return (place) => place;
	const putBack = Map.groupBy(broughtBack, (place) => blockPlace.exec(place)?.[1]);
	const indices = new Map(
		[...putBack].map(([list, places]) => [list, places.map((place) => Number(blockPlace.exec(place)?.[2]))]),
	);
	return (place) => {
		if (broughtBack.has(place)) return "";
		const [, list, index, rest] = blockPlace.exec(place) ?? [];
		const before = indices.get(list)?.filter((at) => at < Number(index)).length ?? 0;
		return before === 0 ? place : `${list}[${Number(index) - before}]${rest}`;
	};
};

export class KeptReasoning {
	/** Of each token. */
	readonly kept: KeptByToken<KeptText>;

	constructor(clock: Clock) {
		this.kept = new KeptByToken(clock, nothing);
	}

	/** The request with what its client left out. */
	load(ask: ModelAsk, own: OfToken<KeptText>, held: HeldBytes | undefined): ModelAsk {
		const found = this.found(asList(ask.body.value["messages"]).map(asRecord), own, ask.call.name);
		const more = [...found.values()].reduce((sum, { size }) => sum + size, 0);
		if (more === 0 || held?.hold(more)) return ask;
		const broughtBack = new Set<string>();
		const messages = asList(exactBody(ask.body)["messages"]).map((message, index) => {
			const kept = found.get(index);
			if (kept === undefined) return message;
			const told = (at: number): void => {
				broughtBack.add(`messages[${index}].content[${at}]`);
			};
			const content = withThoughts(asList(asRecord(message)["content"]), thoughtsOf(kept.text), told);
			return { ...asRecord(message), content };
		});
		return { ...ask, body: changeJsonBody(ask.body, { messages }), broughtBack };
	}

	save(ask: ModelAsk, token: string, answer: unknown): void {
		const content = contentOf(asRecord(answer));
		const id = firstCallIn(content);
		const thoughts = id === undefined ? [] : thoughtsIn(content);
		if (id === undefined || thoughts.length === 0) return;
		const asking = asList(ask.body.value["messages"]).map(asRecord).findLast(isUsers) ?? {};
		const text = JSON.stringify(thoughts);
		this.kept.keep(token, keyOfCall(ask.call.name, digestOfWords(wordsOf(asking)), id), {
			text,
			size: textBytes(text),
		});
	}

	/** What was kept of each message, by its index. Messages that have one key get nothing, for it may be of either. */
	private found(messages: readonly WireRecord[], own: OfToken<KeptText>, model: string): ReadonlyMap<number, KeptText> {
		const keys = new Map<number, string>();
		const times = new Map<string, number>();
		let asking: WireRecord = {};
		let before: string | undefined;
		for (const [index, message] of messages.entries()) {
			if (isUsers(message)) [asking, before] = [message, undefined];
			const id = bareCall(message);
			if (id === undefined) continue;
			before ??= digestOfWords(wordsOf(asking));
			const key = keyOfCall(model, before, id);
			keys.set(index, key);
			times.set(key, (times.get(key) ?? 0) + 1);
		}
		const found = new Map<number, KeptText>();
		for (const [index, key] of keys) {
			const kept = times.get(key) === 1 ? this.kept.find(own, key) : nothing;
			if (kept.text !== "") found.set(index, kept);
		}
		return found;
	}
}
