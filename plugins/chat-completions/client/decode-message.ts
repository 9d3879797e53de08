/** The messages of a request. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	definedOnly,
	type Message,
	type ModelAsk,
	placed,
	placeOf,
	WaitingCalls,
	type WireRecord,
} from "#core";
import { decodeAssistant } from "../decode-assistant.ts";
import { decodeContent } from "../decode-content.ts";
import { protocolName } from "../name.ts";

const understood = new Set([
	"role",
	"content",
	"name",
	"tool_calls",
	"tool_call_id",
	"function_call",
	"refusal",
	"audio",
	"annotations",
	"images",
	"reasoning_content",
	"reasoning",
	"reasoning_details",
	"extra_content",
]);

const extrasOf = (message: WireRecord) => {
	const rest = Object.entries(message).filter(([key, value]) => !understood.has(key) && value !== null);
	return rest.length === 0 ? {} : { extras: { [protocolName]: Object.fromEntries(rest) } };
};

/** Reads messages in order: old-style calls have no id, so their results are told by the order in which they come. */
class MessageReader {
	private readonly family: string;
	private readonly waiting = new WaitingCalls();
	private calls = 0;

	constructor(family: string) {
		this.family = family;
	}

	read(value: unknown, at: string): Message {
		const message = asRecord(value);
		const named = definedOnly({ name: asText(message["name"]) });
		const place = { at: `${at}.content`, family: this.family };
		switch (message["role"]) {
			case "assistant":
				return { role: "assistant", blocks: this.assistant(message, at), ...named, ...extrasOf(message) };
			case "tool":
				return { role: "tool", blocks: [this.result(message, asText(message["tool_call_id"]) ?? "", at)] };
			case "function":
				return { role: "tool", blocks: [this.result(message, this.answered(named.name ?? ""), at)] };
			case "system":
			case "developer":
				return {
					role: message["role"],
					blocks: decodeContent(message["content"], place),
					...named,
					...extrasOf(message),
				};
			default:
				return { role: "user", blocks: decodeContent(message["content"], place), ...named, ...extrasOf(message) };
		}
	}

	private assistant(message: WireRecord, at: string): Block[] {
		return decodeAssistant(message, {
			at,
			family: this.family,
			fromUpstream: false,
			callId: (name) => {
				const id = `call_function_${this.calls++}`;
				this.waiting.add(id, name);
				return id;
			},
		});
	}

	/** The call that a message of role `function` answers: the earliest of its name. */
	private answered(name: string): string {
		return this.waiting.take(undefined, name) ?? name;
	}

	private result(message: WireRecord, callId: string, at: string): Block {
		const content = decodeContent(message["content"], { at: `${at}.content`, family: this.family });
		return placed({ type: "tool_result", callId, content, ...definedOnly({ name: asText(message["name"]) }) }, at);
	}
}

/** All messages of a request; `family` is that of the model asked for, `broughtBack` as `ModelAsk` has it. */
export const decodeMessages = (
	messages: unknown,
	family: string,
	broughtBack?: ModelAsk["broughtBack"],
): readonly Message[] => {
	const reader = new MessageReader(family);
	return asList(messages).map((value, index) => {
		const at = `messages[${index}]`;
		const message = placed(reader.read(value, at), at);
		if (broughtBack) for (const block of message.blocks) if (broughtBack.has(placeOf(block) ?? "")) placed(block, "");
		return message;
	});
};
