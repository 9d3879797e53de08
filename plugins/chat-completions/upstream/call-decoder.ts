/**
 * The tool calls of one choice of a stream. Vendors leave out ids, indexes and types, repeat names, and number all
 * calls 0: a fragment belongs to the call it can belong to, and a call is told once its name is known.
 */
import {
	asCount,
	asRecord,
	asText,
	calledTool,
	isRecord,
	type NeutralEvent,
	type Opaque,
	parseJson,
	unwrapInput,
	type WireRecord,
} from "#core";
import { argumentsText } from "../decode-assistant.ts";
import { googleSignature } from "../reasoning.ts";
import type { StreamScope } from "../stream-scope.ts";
import { NamePieces } from "./name-pieces.ts";

interface Call {
	id: string;
	name: string;
	/** As the upstream sends it. */
	custom: boolean;
	/** A custom tool that went as a function: its input is unwrapped at the close. */
	wrapped: boolean;
	text: string;
	/** How much of the text was handed on. */
	handed: number;
	/** Set once the call was told. */
	block: number | undefined;
	signature: Opaque | undefined;
	closed: boolean;
}

/** What one fragment says. */
interface Fragment {
	readonly index: number | undefined;
	readonly id: string;
	readonly name: string;
	readonly text: string;
	readonly custom: boolean;
	readonly signature: Opaque | undefined;
}

const fragmentOf = (entry: WireRecord): Fragment => {
	const custom = isRecord(entry["custom"]) && !isRecord(entry["function"]);
	const made = asRecord(custom ? entry["custom"] : entry["function"]);
	return {
		index: asCount(entry["index"]),
		id: asText(entry["id"]) ?? "",
		name: asText(made["name"]) ?? "",
		text: argumentsText(custom ? made["input"] : made["arguments"]),
		custom,
		signature: googleSignature(entry),
	};
};

const isComplete = ({ text, custom }: Call): boolean => !custom && text !== "" && parseJson(text) !== undefined;

/** No arguments, or what some vendors send before the arguments: the end of the call tells. */
const mayBeNothing = ({ text, custom, handed }: Call): boolean =>
	!custom && handed === 0 && /^\s*\{\s*\}\s*$/.test(text);

/** Arguments with one more piece. Some vendors tell all of them anew in a piece: no object goes on with its own beginning. */
const joined = ({ text, custom }: Call, more: string): string =>
	!custom && more.length >= text.length && text.startsWith("{") && more.startsWith(text) ? more : text + more;

export class CallDecoder {
	private readonly candidate: number;
	private readonly scope: StreamScope;
	private readonly emit: (event: NeutralEvent) => void;
	private readonly calls: Call[] = [];
	private readonly byId = new Map<string, Call>();
	/** Calls that got more since it was last looked which are complete. */
	private readonly grown = new Set<Call>();
	private readonly byIndex = new Map<number, Call>();
	private readonly names: NamePieces;
	private legacy: Call | undefined;
	/** How many calls were told. */
	told = 0;

	constructor(candidate: number, scope: StreamScope, emit: (event: NeutralEvent) => void) {
		this.candidate = candidate;
		this.scope = scope;
		this.emit = emit;
		this.names = new NamePieces(scope.context);
	}

	/** One entry of `delta.tool_calls`. */
	push(entry: WireRecord): void {
		const fragment = fragmentOf(entry);
		this.take(this.find(fragment) ?? this.begin(fragment), fragment);
	}

	/** `delta.function_call`, of which there is only one. */
	pushLegacy(entry: WireRecord): void {
		const fragment = fragmentOf({ function: entry });
		this.legacy ??= this.begin(fragment);
		this.take(this.legacy, fragment);
	}

	private find(fragment: Fragment): Call | undefined {
		const { index, id } = fragment;
		const byId = id === "" ? undefined : this.byId.get(id);
		if (index === undefined) {
			const last = id === "" ? this.calls.at(-1) : byId;
			return last === undefined || this.isAnother(last, fragment) ? undefined : last;
		}
		const known = this.byIndex.get(index);
		return known !== undefined && this.isAnother(known, fragment) ? byId : known;
	}

	/** True for a fragment that begins another call under an index that one already has. */
	private isAnother(call: Call, { id, name, text }: Fragment): boolean {
		if (name === "" || call.name === "") return false;
		if (id !== "" && call.id !== "") return id !== call.id;
		return (text !== "" && isComplete(call)) || this.names.isOther(call.name, name);
	}

	private begin({ index, custom }: Fragment): Call {
		this.closeComplete();
		const call: Call = {
			id: "",
			name: "",
			custom,
			wrapped: false,
			text: "",
			handed: 0,
			block: undefined,
			signature: undefined,
			closed: false,
		};
		this.calls.push(call);
		if (index !== undefined) this.byIndex.set(index, call);
		return call;
	}

	private take(call: Call, { id, name, text, signature }: Fragment): void {
		if (call.closed) return;
		const before = call.id;
		call.id ||= id;
		if (call.id !== "" && !this.byId.has(call.id)) this.byId.set(call.id, call);
		this.grown.add(call);
		if (call.block === undefined) call.name = this.names.join(call.name, name);
		call.text = text !== "" && mayBeNothing(call) ? text : joined(call, text);
		call.signature ??= signature;
		if (call.block === undefined) {
			if (call.name !== "" && (call.text !== "" || !this.names.mayGrow(call.name))) this.tell(call);
			return;
		}
		if (before === "" && call.id !== "") this.announce(call, call.block);
		if (!mayBeNothing(call)) this.hand(call, call.block);
	}

	private tell(call: Call): void {
		call.block = this.scope.nextBlock();
		call.wrapped = !call.custom && calledTool(call.name, this.scope.context).kind === "custom";
		this.told++;
		this.announce(call, call.block);
		if (!mayBeNothing(call)) this.hand(call, call.block);
	}

	/** Hands on what came of the arguments; those that must be unwrapped wait for the end. */
	private hand(call: Call, block: number): void {
		if (call.wrapped || call.handed === call.text.length) return;
		this.grow(block, call.text.slice(call.handed));
		call.handed = call.text.length;
	}

	/** Opens the call, or tells its id when that comes late. */
	private announce(call: Call, block: number): void {
		const { kind, ...named } = calledTool(call.name, this.scope.context);
		const isCustom = kind === "custom" || call.custom;
		this.emit({
			type: "open",
			block,
			candidate: this.candidate,
			shell: {
				type: "tool_call",
				id: call.id,
				...named,
				kind: isCustom ? "custom" : "function",
				arguments: { form: isCustom ? "text" : "invalid", text: "" },
				...(call.signature === undefined ? {} : { signature: call.signature }),
			},
		});
	}

	private grow(block: number, text: string): void {
		this.emit({ type: "delta", block, delta: { type: "arguments", text } });
	}

	/** Gives the first call a signature that stood on the message; false when nothing was called. */
	sign(value: Opaque): boolean {
		const first = this.calls[0];
		if (first === undefined || first.name === "") return false;
		if (first.block === undefined) first.signature ??= value;
		else if (first.signature === undefined && !first.closed)
			this.emit({ type: "delta", block: first.block, delta: { type: "signature", value } });
		return true;
	}

	/** Closes the calls that can take no more, because something else begins. */
	closeComplete(): void {
		for (const call of this.grown) if (!call.closed && call.block !== undefined && isComplete(call)) this.close(call);
		this.grown.clear();
	}

	closeAll(): void {
		for (const call of this.calls) this.close(call);
	}

	private close(call: Call): void {
		if (call.block === undefined && call.name !== "") this.tell(call);
		if (call.closed || call.block === undefined) return;
		call.closed = true;
		if (call.wrapped) this.grow(call.block, unwrapInput(call.text));
		else this.hand(call, call.block);
		this.emit({ type: "close", block: call.block });
	}
}
