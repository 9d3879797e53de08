/**
 * Reasoning for clients that give back the calls of an answer and nothing that stood beside them. OpenAI's own form has no
 * place for reasoning, sealed or not, so most clients drop it, and a model that called tools would go on without its
 * thoughts. It is kept here for a while and put back where the client sends the calls without it.
 */
import {
	asList,
	asRecord,
	type Clock,
	type Conversations,
	changeJsonBody,
	type HeldBytes,
	type ModelAsk,
	parseJson,
	type Target,
	textBytes,
	type WireRecord,
} from "#core";
import { digestOfWords, KeptByToken, type KeptText, keyOfCall, type OfToken } from "../kept-by-token.ts";
import { plainReasoning } from "../reasoning.ts";
import { firstCallId } from "../tool-call-ids.ts";
import { references } from "./references.ts";

/** What belongs beside the calls of a message: it as JSON, its calls by their ids, and what must come back. */
interface Beside extends KeptText {
	/** There are only words of reasoning, and nothing sealed. */
	readonly isPlain: boolean;
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
		const id = asRecord(call)["id"];
		const extra_content = contents.get(id);
		// Once, however many calls of one id a client sends.
		contents.delete(id);
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

const lastAsked = ({ body }: ModelAsk): string =>
	digestOfWords(asList(body.value["messages"]).map(asRecord).findLast(asks)?.["content"]);

class KeptReasoning implements Conversations {
	private readonly kept: KeptByToken<Beside>;

	constructor(clock: Clock) {
		this.kept = new KeptByToken(clock, nothing);
	}

	load(ask: ModelAsk, token: { readonly id: string }, held?: HeldBytes): ModelAsk {
		const loaded = references.load(ask);
		const own = this.kept.tokens.get(token.id);
		return own === undefined ? loaded : this.completed(loaded, own, held);
	}

	save(ask: ModelAsk, token: { readonly id: string }, answer: unknown, target?: Target): undefined {
		const insists = target?.capabilities.reasoningWithCalls === true;
		for (const choice of asList(asRecord(answer)["choices"])) {
			const message = asRecord(asRecord(choice)["message"]);
			const id = firstCallId(message);
			const beside = id === undefined ? undefined : besideIn(message, insists);
			if (id !== undefined && beside) this.kept.keep(token.id, keyOfCall(ask.call.name, lastAsked(ask), id), beside);
		}
	}

	private completed(ask: ModelAsk, own: OfToken<Beside>, held: HeldBytes | undefined): ModelAsk {
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
	private keptOf(messages: readonly unknown[], own: OfToken<Beside>, ask: ModelAsk): readonly Beside[] {
		const times = new Map<string, number>();
		let asking: WireRecord = {};
		let before: string | undefined;
		const keys = messages.map(asRecord).map((message) => {
			if (asks(message)) [asking, before] = [message, undefined];
			const id = isBare(message) ? firstCallId(message) : undefined;
			if (id === undefined) return "";
			before ??= digestOfWords(asking["content"]);
			const key = keyOfCall(ask.call.name, before, id);
			times.set(key, (times.get(key) ?? 0) + 1);
			return key;
		});
		return keys.map((key, at) => {
			const kept = times.get(key) === 1 ? this.kept.find(own, key) : nothing;
			return kept.isPlain && plainReasoning(asRecord(messages[at])) ? nothing : kept;
		});
	}
}

/** What a client may not give back, kept in this process for an hour; what names an upstream's account as `references` has it. */
export const createKeptReasoning = (clock: Clock): Conversations => new KeptReasoning(clock);
