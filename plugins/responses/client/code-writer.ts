/** The item of the answer for code that another provider's model ran. It ends when its output is known, or when something else begins. */
import {
	asRecord,
	codeOf,
	outputOf,
	printed,
	type ServerCallBlock,
	type ServerResultBlock,
	type WireRecord,
} from "#core";
import { foreignContainer } from "../origin.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import { itemMembers, type Wire } from "./wire.ts";

/** True for code, also where nothing of it is known before its call is whole. */
export const isRun = (call: ServerCallBlock): boolean =>
	codeOf(call) !== undefined || (call.tool === "code_execution" && Object.keys(asRecord(call.arguments)).length === 0);

export class CodeWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly members: string;
	private call: ServerCallBlock;
	private logs: string | undefined;
	private status: "in_progress" | "interpreting" | "completed" | "failed" = "in_progress";
	private failed = false;

	constructor(output: Output, call: ServerCallBlock) {
		const { index, id } = output.place("ci");
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.call = call;
		this.members = itemMembers(id, index);
		announce(this.wire, index, { ...this.item(), code: "" });
		this.wire.emit("response.code_interpreter_call.in_progress", this.members);
	}

	get callId(): string {
		return this.call.id;
	}

	/** The call is whole: its code is told. */
	know(call: ServerCallBlock): void {
		this.call = call;
	}

	/** Tells the code; does nothing the second time. */
	interpret(): void {
		if (this.status !== "in_progress") return;
		this.status = "interpreting";
		const code = JSON.stringify(this.code);
		this.wire.emit("response.code_interpreter_call_code.delta", `${this.members},"delta":${code}`);
		this.wire.emit("response.code_interpreter_call_code.done", `${this.members},"code":${code}`);
		this.wire.emit("response.code_interpreter_call.interpreting", this.members);
	}

	found(result: ServerResultBlock): void {
		this.failed = result.isError === true;
		const output = outputOf(result);
		this.logs = output && printed(output);
	}

	end(): void {
		if (this.status === "completed" || this.status === "failed") return;
		this.interpret();
		this.status = this.failed ? "failed" : "completed";
		this.wire.emit("response.code_interpreter_call.completed", this.members);
		conclude(this.wire, this.index, this.item());
	}

	private get code(): string {
		return codeOf(this.call)?.code ?? "";
	}

	item(): WireRecord {
		return {
			id: this.id,
			type: "code_interpreter_call",
			status: this.status,
			code: this.code,
			container_id: foreignContainer,
			outputs: this.logs === undefined ? null : [{ type: "logs", logs: this.logs }],
		};
	}
}
