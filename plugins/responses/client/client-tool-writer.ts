/** A call of `shell`, `local_shell` or `apply_patch` while it is written: clients take what it asks only whole. */
import { asRecord, parseJson, type ToolCallBlock, type WireRecord } from "#core";
import { callItem, callPrefix } from "../client-tools.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import type { Wire } from "./wire.ts";

export class ClientToolWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly callId: string;
	private readonly name: string;
	private text: string;
	private status: "in_progress" | "completed" | "incomplete" = "in_progress";

	constructor(output: Output, shell: ToolCallBlock) {
		const { index, id } = output.place(callPrefix(shell.name));
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.callId = shell.id;
		this.name = shell.name;
		this.text = shell.arguments.text;
		announce(this.wire, index, this.item());
	}

	grow(text: string): void {
		this.text += text;
	}

	/** What was cut off with the answer must not look ready to run. */
	end(cut: boolean): void {
		if (this.status !== "in_progress") return;
		this.status = cut || parseJson(this.text) === undefined ? "incomplete" : "completed";
		conclude(this.wire, this.index, this.item());
	}

	item(): WireRecord {
		const { id, status, callId } = this;
		const given = status === "completed" ? asRecord(parseJson(this.text)) : {};
		return { ...callItem(this.name, given), id, call_id: callId, status };
	}
}
