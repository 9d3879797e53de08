/**
 * Reasoning for clients that give back the calls of an answer and nothing that stood beside them. OpenAI's own form has no
 * place for reasoning, sealed or not, so most clients drop it, and a model that called tools would go on without its
 * thoughts. It is kept here for a while and put back where the client sends the calls without it.
 */
import { createHash } from "node:crypto";
import {
	asList,
	asRecord,
	asText,
	type Clock,
	type Conversations,
	changeJsonBody,
	type HeldBytes,
	isRecord,
	type ModelAsk,
	parseJson,
	type Target,
	textBytes,
	type WireRecord,
} from "#core";
import { longestReasoning, plainReasoning } from "../reasoning.ts";
import { firstCallId } from "../tool-call-ids.ts";
import { references } from "./references.ts";

/** All that is kept together, in bytes; the least recently used goes first, of the token that keeps the most. */
const mostKept = 16 * 1024 * 1024;
const keptForMs = 3_600_000;

/** What belongs beside the calls of a message. */
interface Beside {
	/** The message as JSON: its calls by their ids, and what must come back; empty where two answers had the same key. */
	readonly text: string;
	/** Its bytes. */
	readonly size: number;
	/** There are only words of reasoning, and nothing sealed. */
	readonly isPlain: boolean;
}

interface Kept extends Beside {
	readonly at: number;
}

/** What is kept of one token. */
interface OfToken {
	/** In the order of their last use. */
	readonly kept: Map<string, Kept>;
	size: number;
}

const nothing: Beside = { text: "", size: 0, isPlain: false };

/**
 * A message of an answer with nothing but what a client may drop; undefined where there is nothing of that kind. `insists`:
 * the model wants its reasoning back as the text it was.
 */
const besideIn = (message: WireRecord, insists: boolean): Beside | undefined => {
	const calls = asList(message["tool_calls"]).map(asRecord);
	const details = asList(message["reasoning_details"]);
	const told = insists ? plainReasoning(message)?.text : undefined;
	const isSealed = details.length > 0 || calls.some((call) => call["extra_content"] !== undefined);
	if (calls.length === 0 || (!isSealed && told === undefined)) return undefined;
	const text = JSON.stringify({
		tool_calls: calls.map(({ id, extra_content }) => ({ id, extra_content })),
		...(details.length > 0 && { reasoning_details: details }),
		...(told !== undefined && { reasoning_content: told }),
	});
	return { text, size: textBytes(text), isPlain: !isSealed };
};

/** True for a message whose calls came back without what is sealed. */
const isBare = (message: WireRecord): boolean =>
	message["role"] === "assistant" &&
	message["extra_content"] === undefined &&
	asList(message["reasoning_details"]).length === 0 &&
	asList(message["tool_calls"]).every((call) => asRecord(call)["extra_content"] === undefined);

/** The message with what was kept of it; members that the client sent stay. */
const completed = (message: WireRecord, kept: WireRecord): WireRecord => {
	const contents = new Map(
		asList(kept["tool_calls"]).map((call) => [asRecord(call)["id"], asRecord(call)["extra_content"]]),
	);
	const tool_calls = asList(message["tool_calls"]).map((call) => {
		const extra_content = isRecord(call) ? contents.get(call["id"]) : undefined;
		return extra_content === undefined ? call : { ...asRecord(call), extra_content };
	});
	const { reasoning_details, reasoning_content } = kept;
	const says = plainReasoning(message) !== undefined;
	return {
		...message,
		...(reasoning_details !== undefined && { reasoning_details }),
		...(reasoning_content !== undefined && !says && { reasoning_content }),
		tool_calls,
	};
};

/** Whether it asks for an answer. What else stands between comes and goes: a system's reminder, words of the answer by themselves. */
const asks = ({ role }: WireRecord): boolean => role === "user" || role === "tool";

/** The words of a message, in however many parts they come. */
const digestOf = ({ content }: WireRecord): string => {
	const words = asText(content) ?? asList(content).map((part) => asText(asRecord(part)["text"]) ?? "");
	return createHash("sha256").update([words].flat().join("")).digest("base64url");
};

const lastAsked = ({ body }: ModelAsk): string =>
	digestOf(asList(body.value["messages"]).map(asRecord).findLast(asks) ?? {});

/**
 * Reasoning goes back to the model that was asked, behind the words that were answered: many upstreams count their calls anew in
 * each answer, so that an id alone tells neither the turn nor the conversation.
 */
const keyOf = ({ call }: ModelAsk, before: string, id: string): string => JSON.stringify([call.name, before, id]);

class KeptReasoning implements Conversations {
	private readonly clock: Clock;
	/** By the token's id, in the order in which something was last kept of them. */
	private readonly tokens = new Map<string, OfToken>();
	private size = 0;

	constructor(clock: Clock) {
		this.clock = clock;
	}

	load(ask: ModelAsk, token: { readonly id: string }, held?: HeldBytes): ModelAsk {
		const loaded = references.load(ask);
		const own = this.tokens.get(token.id);
		return own === undefined ? loaded : this.completed(loaded, own, held);
	}

	save(ask: ModelAsk, token: { readonly id: string }, answer: unknown, target?: Target): undefined {
		const insists = target?.capabilities.reasoningWithCalls === true;
		for (const choice of asList(asRecord(answer)["choices"])) {
			const message = asRecord(asRecord(choice)["message"]);
			const id = firstCallId(message);
			const beside = id === undefined ? undefined : besideIn(message, insists);
			if (id !== undefined && beside) this.keep(token.id, keyOf(ask, lastAsked(ask), id), beside);
		}
	}

	private completed(ask: ModelAsk, own: OfToken, held: HeldBytes | undefined): ModelAsk {
		const messages = asList(ask.body.value["messages"]);
		const found = this.keptOf(messages, own, ask);
		const more = found.reduce((sum, { size }) => sum + size, 0);
		if (more === 0 || held?.hold(more)) return ask;
		const broughtBack = new Set<string>();
		const whole = messages.map((message, at) => {
			const { text } = found[at] ?? nothing;
			if (text === "") return message;
			const sent = asRecord(message);
			const made = completed(sent, asRecord(parseJson(text)));
			for (const field in made) if (made[field] !== sent[field]) broughtBack.add(`messages[${at}].${field}`);
			return made;
		});
		return { ...ask, body: changeJsonBody(ask.body, { messages: whole }), broughtBack };
	}

	/** What was kept of each message. One that others have the key of gets nothing, for it may be any of theirs. */
	private keptOf(messages: readonly unknown[], own: OfToken, ask: ModelAsk): readonly Beside[] {
		const times = new Map<string, number>();
		let asking: WireRecord = {};
		let before: string | undefined;
		const keys = messages.map(asRecord).map((message) => {
			if (asks(message)) [asking, before] = [message, undefined];
			const id = isBare(message) ? firstCallId(message) : undefined;
			if (id === undefined) return "";
			before ??= digestOf(asking);
			const key = keyOf(ask, before, id);
			times.set(key, (times.get(key) ?? 0) + 1);
			return key;
		});
		return keys.map((key, at) => {
			const kept = times.get(key) === 1 ? this.find(own, key) : nothing;
			return kept.isPlain && plainReasoning(asRecord(messages[at])) ? nothing : kept;
		});
	}

	private find(own: OfToken, key: string): Beside {
		const found = own.kept.get(key);
		if (found === undefined) return nothing;
		const now = this.clock.monotonic();
		this.forget(own, key, found);
		if (now - found.at > keptForMs) return nothing;
		this.put(own, key, { ...found, at: now });
		return found;
	}

	private keep(token: string, key: string, beside: Beside): void {
		const now = this.clock.monotonic();
		const own = this.tokens.get(token) ?? { kept: new Map(), size: 0 };
		this.tokens.delete(token);
		this.tokens.set(token, own);
		const before = own.kept.get(key);
		if (before) this.forget(own, key, before);
		// Where the same was asked twice and answered otherwise, nobody knows which of the answers comes back.
		const isOne = before === undefined || before.text === beside.text;
		this.put(own, key, { ...(isOne && beside.size <= longestReasoning ? beside : nothing), at: now });
		this.forgetOld(now);
		// However much one token keeps, what others keep stays.
		while (this.size > mostKept) this.dropOldest(own.size * this.tokens.size > mostKept ? own : this.largest(own));
	}

	private forgetOld(now: number): void {
		for (const [token, own] of this.tokens) {
			for (const [key, entry] of own.kept) {
				if (now - entry.at <= keptForMs) return;
				this.forget(own, key, entry);
			}
			this.tokens.delete(token);
		}
	}

	private largest(own: OfToken): OfToken {
		let found = own;
		for (const one of this.tokens.values()) if (one.size > found.size) found = one;
		return found;
	}

	private dropOldest(own: OfToken): void {
		const [oldest] = own.kept;
		if (oldest) this.forget(own, ...oldest);
	}

	private put(own: OfToken, key: string, entry: Kept): void {
		own.kept.set(key, entry);
		own.size += key.length + entry.size;
		this.size += key.length + entry.size;
	}

	private forget(own: OfToken, key: string, entry: Kept): void {
		own.kept.delete(key);
		own.size -= key.length + entry.size;
		this.size -= key.length + entry.size;
	}
}

/** What a client may not give back, kept in this process for an hour; what names an upstream's account as `references` has it. */
export const createKeptReasoning = (clock: Clock): Conversations => new KeptReasoning(clock);
