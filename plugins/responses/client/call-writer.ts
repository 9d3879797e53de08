/** A call of a client's tool while it is written: a function with JSON arguments, or a custom tool with free input. */
import {
	asList,
	asRecord,
	definedOnly,
	type NeutralRequest,
	parseJson,
	type ToolCallBlock,
	type WireRecord,
} from "#core";
import { clientToolNames } from "../client-tools.ts";
import { type SplitName, splitterOf } from "../namespaces.ts";
import { ownFields } from "../origin.ts";
import { ClientToolWriter } from "./client-tool-writer.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import { itemMembers, type Wire } from "./wire.ts";

const isWhole = (text: string): boolean => parseJson(text) !== undefined;

export class CallWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly callId: string;
	private readonly names: SplitName;
	private readonly custom: boolean;
	private readonly members: string;
	/** Who called, and whether the call runs apart: what a Responses upstream told of it. */
	private readonly own: WireRecord;
	private text = "";
	private status: "in_progress" | "completed" | "incomplete" = "in_progress";

	constructor(output: Output, shell: ToolCallBlock, names: SplitName) {
		this.custom = shell.kind === "custom";
		const { index, id } = output.place(this.custom ? "ctc" : "fc", shell.itemId);
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.callId = shell.id;
		this.names = shell.namespace === undefined ? names : { name: shell.name, namespace: shell.namespace };
		this.members = itemMembers(id, index);
		const { caller, async: apart } = ownFields(shell);
		this.own = definedOnly({ caller, async: apart });
		announce(this.wire, index, this.item());
		if (shell.arguments.text !== "") this.grow(shell.arguments.text);
	}

	grow(text: string): void {
		this.text += text;
		const type = this.custom ? "response.custom_tool_call_input.delta" : "response.function_call_arguments.delta";
		if (this.wire.live) this.wire.emit(type, `${this.members},"delta":${JSON.stringify(text)}`);
	}

	/**
	 * What an answer that reached its limit told last may be cut off, and what is not whole JSON is: such a call must not
	 * look ready to run.
	 */
	end(cut: boolean): void {
		if (this.status !== "in_progress") return;
		if (!this.custom && this.text === "") this.grow("{}");
		this.status = !cut && (this.custom || isWhole(this.text)) ? "completed" : "incomplete";
		this.tellEnd();
		conclude(this.wire, this.index, this.item());
	}

	private tellEnd(): void {
		if (!this.wire.live) return;
		const text = JSON.stringify(this.text);
		if (this.custom) this.wire.emit("response.custom_tool_call_input.done", `${this.members},"input":${text}`);
		else
			this.wire.emit(
				"response.function_call_arguments.done",
				`${this.members},"name":${JSON.stringify(this.names.name)},"arguments":${text}`,
			);
	}

	item(): WireRecord {
		const { id, status, callId, text } = this;
		const { name, namespace } = this.names;
		const common = { id, status, call_id: callId, name, ...definedOnly({ namespace }), ...this.own };
		return this.custom
			? { type: "custom_tool_call", ...common, input: text }
			: { type: "function_call", ...common, arguments: text };
	}
}

/** The tools of a request, and those its conversation brought along. */
const toolsOf = ({ tools, input }: WireRecord): readonly unknown[] => [
	...asList(tools),
	...asList(input).flatMap((item) => asList(asRecord(item)["tools"])),
];

/** What makes the writer of a call, for the tools of a request. */
export const callWriterOf = (request: NeutralRequest) => {
	const split = splitterOf(toolsOf(request.raw));
	const ownTools = clientToolNames(request.tools);
	return (output: Output, shell: ToolCallBlock): CallWriter | ClientToolWriter =>
		ownTools.has(shell.name) ? new ClientToolWriter(output, shell) : new CallWriter(output, shell, split(shell.name));
};
