/** The items of a conversation as messages: what the model did in one turn is one message, results are another. */
import {
	asList,
	asRecord,
	asText,
	type Block,
	definedOnly,
	Fault,
	flatName,
	inPlaceOf,
	isRecord,
	type Message,
	type Opaque,
	placed,
	placeOf,
	type ToolResultBlock,
	type WireRecord,
} from "#core";
import { uncarryFor } from "../carrier.ts";
import { clientToolBlock } from "../client-tools.ts";
import { decodeCall, decodeItem, decodeReasoning } from "../decode-item.ts";
import { originOf, ownBag } from "../origin.ts";
import { type PutIn, placesOf } from "../sent-input.ts";
import { triggerType } from "../summary-request.ts";
import { isUnderstood } from "./configuration.ts";
import { decodeContent } from "./decode-content.ts";
import type { BroughtTool } from "./decode-tools.ts";

/** What a conversation tells: its messages, and tools that it brought along. */
interface DecodedInput {
	readonly messages: readonly Message[];
	readonly tools: readonly BroughtTool[];
}

type Role = Message["role"];

const roleOf = (role: unknown): Role =>
	role === "system" || role === "developer" || role === "assistant" ? role : "user";

/** Decodes one item after the other. `family` is what opaque values are bound to. */
class InputDecoder {
	private readonly family: string;
	private readonly messages: Message[] = [];
	private readonly tools: BroughtTool[] = [];
	private turn: { readonly role: "assistant" | "tool"; readonly blocks: Block[] } | undefined;
	/** A signature that belongs to the next call or picture of the turn: clients may put the turn's text before it. */
	private pending: Opaque | undefined;
	/** The place of the item that is being read. */
	private at = "";

	constructor(family: string) {
		this.family = family;
	}

	take(item: unknown, at: string): void {
		if (!isRecord(item)) return;
		this.at = at;
		switch (item["type"]) {
			case undefined:
			case "message":
				if (item["role"] === undefined && item["id"] !== undefined) throw unresolved(item, at);
				this.message(item);
				return;
			case "item_reference":
				throw unresolved(item, at);
			case triggerType:
				return;
			case "reasoning":
				this.reasoning(item);
				return;
			case "function_call":
			case "custom_tool_call":
				this.assistant(this.call(item));
				return;
			case "function_call_output":
			case "custom_tool_call_output":
				this.result(item);
				return;
			case "configuration_update":
				if (!isUnderstood(item)) this.rest(item);
				return;
			case "additional_tools":
				this.bring(item);
				return;
			case "tool_search_output":
				this.bring(item);
				this.other(item);
				return;
			default:
				this.other(item);
		}
	}

	/** Calls and outputs of tools that the client runs in OpenAI's way are those of a function to everyone else. */
	private other(item: WireRecord): void {
		const block = clientToolBlock(item);
		if (block === undefined) this.rest(item);
		else if (block.type === "tool_call") this.assistant(block);
		else this.add("tool", block);
	}

	private bring(item: WireRecord): void {
		for (const [index, tool] of asList(item["tools"]).entries())
			this.tools.push({ tool, at: `${this.at}.tools[${index}]` });
	}

	private message(item: WireRecord): void {
		const role = roleOf(item["role"]);
		const blocks = decodeContent(item["content"], item, originOf(this.family), `${this.at}.content`);
		if (role === "assistant") {
			for (const block of blocks) this.assistant(block);
			return;
		}
		this.endTurn();
		this.messages.push(placed({ role, blocks, ...definedOnly({ id: asText(item["id"]) }) }, this.at));
	}

	private call(item: WireRecord): Block {
		const { namespace, ...call } = decodeCall(item, { family: this.family });
		return { ...call, name: flatName(call.name, namespace) };
	}

	private reasoning(item: WireRecord): void {
		const encrypted = asText(item["encrypted_content"]) ?? "";
		const carried = uncarryFor(encrypted);
		if (carried === undefined) {
			const block = decodeReasoning(item, { family: this.family });
			if (block) this.assistant(block);
			return;
		}
		const { bearer, opaque } = carried;
		if (bearer === "redacted") this.assistant({ type: "opaque_thinking", data: opaque });
		else if (bearer === "empty") this.assistant({ type: "text", text: "", signature: opaque });
		else if (bearer === "next") this.pending = opaque;
		else if (bearer === "previous") this.signLast(opaque);
		else this.assistant(this.thinking(item, opaque));
	}

	private thinking(item: WireRecord, signature: Opaque): Block {
		const told = decodeReasoning({ ...item, encrypted_content: undefined }, { family: this.family });
		if (told?.type !== "thinking") return { type: "thinking", text: "", form: "full", signature };
		// The id is ours and says nothing to the protocol the signature belongs to.
		const { itemId: _id, parts, ...block } = told;
		return { ...block, ...(parts !== undefined && parts.length > 1 && { parts }), form: "full", signature };
	}

	private signLast(signature: Opaque): void {
		const last = this.turn?.role === "assistant" ? this.turn.blocks.pop() : undefined;
		if (last === undefined) return;
		this.turn?.blocks.push(canSign(last) ? inPlaceOf({ ...last, signature }, last) : last);
	}

	private result(item: WireRecord): void {
		const kind = item["type"] === "custom_tool_call_output" ? "custom" : "function";
		const block: ToolResultBlock = {
			type: "tool_result",
			callId: asText(item["call_id"]) ?? "",
			kind,
			...(item["status"] === "incomplete" && { isError: true }),
			...(isRecord(item["caller"]) && { extras: ownBag({ caller: item["caller"] }) }),
			content: decodeContent(item["output"], {}, originOf(this.family), `${this.at}.output`),
		};
		this.add("tool", block);
	}

	/** Items of tools that run elsewhere: what the model asked for is its own turn, what it was given is too. */
	private rest(item: WireRecord): void {
		const output = /_(?:output|response)$/.test(asText(item["type"]) ?? "") && item["call_id"] && !item["execution"];
		if (!output) for (const block of decodeItem(item, { family: this.family })) this.assistant(block);
		else this.add("tool", { type: "unknown", origin: originOf(this.family), raw: item });
	}

	private assistant(block: Block): void {
		const { pending } = this;
		if (pending !== undefined && canSign(block) && block.type !== "text") {
			this.add("assistant", inPlaceOf({ ...block, signature: pending }, block));
			this.pending = undefined;
		} else {
			this.add("assistant", block);
			this.pending = pending;
		}
	}

	private add(role: "assistant" | "tool", block: Block): void {
		if (this.turn?.role !== role) {
			this.endTurn();
			this.turn = { role, blocks: [] };
		}
		this.turn.blocks.push(placeOf(block) === undefined ? placed(block, this.at) : block);
	}

	private endTurn(): void {
		if (this.turn) this.messages.push(this.turn);
		this.turn = undefined;
		this.pending = undefined;
	}

	done(): DecodedInput {
		this.endTurn();
		return { messages: this.messages, tools: this.tools };
	}
}

type Signable = Extract<Block, { type: "text" | "tool_call" | "image" }>;

const canSign = (block: Block): block is Signable =>
	block.type === "text" || block.type === "tool_call" || block.type === "image";

const unresolved = (item: WireRecord, at: string): Fault => {
	const id = (asText(item["id"]) ?? "").slice(0, 80);
	return new Fault({
		kind: "not_found",
		parameter: at,
		message: `Item with id '${id}' not found: it is of no answer that is kept here. Send the item itself instead of a reference.`,
	});
};

/** The instructions as the first message; marked, so that they can be written back as they came. */
const instructionsOf = (instructions: unknown, family: string): readonly Message[] => {
	if (typeof instructions === "string")
		return [{ role: "system", blocks: [{ type: "text", text: instructions }], extras: ownBag({ instructions: true }) }];
	if (!Array.isArray(instructions)) return [];
	const places = instructions.map((_, index) => `instructions[${index}]`);
	return decodeItems(instructions, places, family).messages;
};

const decodeItems = (items: readonly unknown[], places: readonly string[], family: string): DecodedInput => {
	const decoder = new InputDecoder(family);
	for (const [index, item] of items.entries()) decoder.take(item, places[index] ?? "");
	return decoder.done();
};

const decodeInput = (input: unknown, family: string, putIn: PutIn): DecodedInput => {
	if (typeof input === "string") return decodeItems([{ role: "user", content: input }], ["input"], family);
	const items = asList(input);
	return decodeItems(items, placesOf(items, putIn), family);
};

/** The conversation of a request body. Throws `Fault` (`not_found`) for a reference that leads nowhere. */
export const decodeConversation = (body: WireRecord, family: string, putIn: PutIn = {}): DecodedInput => {
	const { messages, tools } = decodeInput(body["input"], family, putIn);
	return { messages: [...instructionsOf(asRecord(body)["instructions"], family), ...messages], tools };
};
