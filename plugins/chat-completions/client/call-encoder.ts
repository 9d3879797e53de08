/** The tool calls of one choice of a stream, as the deltas that clients put together by index. */
import type { Opaque, ToolCallBlock, WireRecord } from "#core";
import { signatureMember } from "../reasoning.ts";

/** A call that has been opened and not yet closed. */
interface OpenCall {
	readonly block: ToolCallBlock;
	/** Its place among the calls: what stands beside them does not count. */
	readonly index: number;
	/** A custom tool's input. */
	input: string;
	grown: boolean;
}

/** Writes one chunk with this delta. */
type WriteDelta = (delta: WireRecord) => string;

export class CallEncoder {
	private readonly write: WriteDelta;
	private readonly legacy: boolean;
	private readonly open = new Map<number, OpenCall>();
	private count = 0;
	/** The calls so far, each by its id and with what must come back beside it. */
	readonly told: WireRecord[] = [];

	/** `legacy`: the client reads one `function_call` in place of `tool_calls`. */
	constructor(write: WriteDelta, legacy: boolean) {
		this.write = write;
		this.legacy = legacy;
	}

	/** A custom tool's call goes out whole at its close: older SDKs keep only the last piece of its input. */
	begin(number: number, block: ToolCallBlock): string {
		const call: OpenCall = { block, index: this.count++, input: "", grown: false };
		this.open.set(number, call);
		const { id, name, signature } = block;
		const sealed = signatureMember(signature);
		this.told.push({ id, ...sealed });
		if (block.kind === "custom") return "";
		return this.piece(call, { id, type: "function", function: { name, arguments: "" }, ...sealed });
	}

	grow(number: number, text: string): string {
		const call = this.open.get(number);
		if (call === undefined) return "";
		call.grown = true;
		if (call.block.kind === "function") return this.piece(call, { function: { arguments: text } });
		call.input += text;
		return "";
	}

	/** `signature` came after the call was opened. */
	close(number: number, signature: Opaque | undefined): string {
		const call = this.open.get(number);
		if (call === undefined) return "";
		this.open.delete(number);
		const { id, name, kind } = call.block;
		const sealed = signatureMember(signature ?? call.block.signature);
		this.told[call.index] = { id, ...sealed };
		if (kind === "custom")
			return this.piece(call, { id, type: "custom", custom: { name, input: call.input }, ...sealed });
		// Empty arguments are not JSON, and would poison the next turn.
		const empty = call.grown ? "" : this.piece(call, { function: { arguments: "{}" } });
		return signature === undefined ? empty : empty + this.piece(call, sealed);
	}

	private piece({ index }: OpenCall, members: WireRecord): string {
		if (!this.legacy) return this.write({ tool_calls: [{ index, ...members }] });
		return index === 0 && members["function"] !== undefined ? this.write({ function_call: members["function"] }) : "";
	}
}
