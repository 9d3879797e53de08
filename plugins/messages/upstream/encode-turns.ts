/** The conversation as this protocol demands it: system text apart, user and assistant in turns, results before all else. */
import {
	asText,
	type Block,
	inPlaceOf,
	instructs,
	type Message,
	type ModelCapabilities,
	noReasoning,
	type WireRecord,
} from "#core";
import { type Encoding, encodeAssistantBlock, encodeGiven, encodeResult } from "../encode-content.ts";
import { withSpacesJoined } from "./white-space.ts";

export interface Turn {
	readonly role: "user" | "assistant" | "system";
	readonly content: readonly WireRecord[];
}

const midSystemBeta = "mid-conversation-system-2026-04-07";

/** Said for a user who said nothing where the protocol demands that one speaks. */
export const goOn: Turn = { role: "user", content: [{ type: "text", text: "Continue." }] };

const noThinking: WireRecord = { type: "thinking", thinking: noReasoning, signature: "" };

const encodeSystemBlock = (block: Block, encoding: Encoding): readonly WireRecord[] => {
	if (block.type === "text" || block.type === "unknown") return encodeGiven(block, encoding);
	encoding.losses.node(block, `a system prompt cannot hold ${block.type}`);
	return [{ type: "text", text: `[Left out here: ${block.type}, which a system prompt cannot hold.]` }];
};

const loseName = (message: Message, { losses }: Encoding): void => {
	if (message.name !== undefined) losses.node(message, "the upstream has no names of speakers", "name");
};

/** System text in the middle of the conversation stays in its place: moved, it would change its meaning and the cache. */
const encodeMidSystem = (message: Message, native: boolean, encoding: Encoding): Turn => {
	const content = message.blocks.flatMap((block) => encodeSystemBlock(block, encoding));
	if (native) {
		encoding.betas.add(midSystemBeta);
		return { role: "system", content };
	}
	const reminders = content.flatMap((block) => {
		const text = asText(block["text"]);
		return text === undefined ? [] : [{ ...block, text: `<system-reminder>\n${text}\n</system-reminder>` }];
	});
	return { role: "user", content: reminders };
};

const encodeUser = (message: Message, encoding: Encoding): Turn => {
	const results: WireRecord[] = [];
	const rest: WireRecord[] = [];
	for (const block of message.blocks) {
		if (block.type !== "tool_result") rest.push(...encodeGiven(block, encoding));
		else {
			const { result, beside } = encodeResult(block, encoding);
			results.push(result);
			rest.push(...beside);
		}
	}
	return { role: "user", content: [...results, ...rest] };
};

const encodeMessage = (message: Message, capabilities: ModelCapabilities, encoding: Encoding): Turn => {
	loseName(message, encoding);
	if (instructs(message)) return encodeMidSystem(message, capabilities.midSystem === true, encoding);
	if (message.role !== "assistant") return encodeUser(message, encoding);
	const content = message.blocks.flatMap((block) => encodeAssistantBlock(block, encoding));
	const lacks =
		encoding.unsignedThinking &&
		content.some(({ type }) => type === "tool_use") &&
		!content.some(({ type }) => type === "thinking");
	return { role: "assistant", content: lacks ? [noThinking, ...content] : content };
};

const isResult = (block: WireRecord): boolean => block["type"] === "tool_result";

/** A turn to which others may be joined: one copy for all of them. */
interface OpenTurn {
	readonly role: Turn["role"];
	content: WireRecord[];
}

const join = (before: OpenTurn, { content: after }: Turn): void => {
	for (const block of after) before.content.push(block);
	if (before.role === "assistant" || !after.some(isResult)) return;
	const { content } = before;
	before.content = [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
};

/** Results that answer no call of the turn before are refused; they can be here only when the calls are not. */
const withoutOrphans = (turn: Turn, before: Turn | undefined, { losses }: Encoding): Turn => {
	if (turn.role !== "user" || !turn.content.some(isResult)) return turn;
	const calls = new Set(before?.content.map((block) => (block["type"] === "tool_use" ? block["id"] : undefined)));
	const content = turn.content.filter((block) => !isResult(block) || calls.has(block["tool_use_id"]));
	if (content.length < turn.content.length)
		losses.setting("messages", "the call it answers is not in the conversation");
	return { ...turn, content };
};

/** The system prompt and the turns. The first turn is a user's; `endTurns` sees to the last. */
export const encodeConversation = (
	given: readonly Message[],
	capabilities: ModelCapabilities,
	encoding: Encoding,
): { readonly system: readonly WireRecord[]; readonly turns: readonly Turn[] } => {
	const messages = given.map((message) => {
		const blocks = withSpacesJoined(message.blocks);
		return blocks === message.blocks ? message : inPlaceOf({ ...message, blocks }, message);
	});
	const spoken = messages.findIndex((message) => !instructs(message));
	const leading = spoken === -1 ? messages : messages.slice(0, spoken);
	for (const message of leading) loseName(message, encoding);
	const system = leading.flatMap(({ blocks }) => blocks.flatMap((block) => encodeSystemBlock(block, encoding)));
	const turns: OpenTurn[] = [];
	for (const message of messages.slice(leading.length)) {
		const last = turns.at(-1);
		const asking = last?.role === "user" ? turns.at(-2) : last;
		const turn = withoutOrphans(encodeMessage(message, capabilities, encoding), asking, encoding);
		if (turn.content.length === 0) continue;
		if (last && last.role === turn.role) join(last, turn);
		else turns.push({ role: turn.role, content: [...turn.content] });
	}
	return { system, turns: turns[0]?.role === "user" ? turns : [goOn, ...turns] };
};

/** True when the model is in the middle of calling tools and did not begin that turn with thinking of its own. */
export const callsWithoutThinking = (turns: readonly Turn[]): boolean => {
	const last = turns.findLast(({ role }) => role === "assistant");
	if (!last?.content.some(({ type }) => type === "tool_use")) return false;
	const first = last.content[0]?.["type"];
	return first !== "thinking" && first !== "redacted_thinking";
};

/**
 * The turns with an end that the upstream takes. The beginning of an answer (a prefill) loses the white space at its end; if
 * the model takes no such beginning, a user's turn that asks to go on follows it.
 */
export const endTurns = (turns: readonly Turn[], prefill: boolean, encoding: Encoding): readonly Turn[] => {
	const last = turns.at(-1);
	const block = last?.content.at(-1);
	if (last?.role !== "assistant" || block?.["type"] !== "text") return turns;
	if (!prefill) {
		encoding.losses.setting("messages", "the model takes no beginning of its own answer; it was asked to continue");
		return [...turns, goOn];
	}
	const text = (asText(block["text"]) ?? "").trimEnd();
	return [...turns.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), { ...block, text }] }];
};
