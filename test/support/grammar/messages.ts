/** The grammar of a Messages stream, as strict as the strictest official client (@anthropic-ai/sdk 1). */
import { asRecord, isRecord } from "#core";
import { expectRecord, Faults, type Frame, readFrames } from "./frames.ts";

type Event = Readonly<Record<string, unknown>>;

/** What is wrong with the stream; empty when all is well. */
export const messagesFaults = (text: string): string[] => {
	const faults = new Faults();
	const check = new MessagesCheck(faults);
	for (const [at, frame] of readFrames(text, { names: true, comments: true }, faults).entries()) {
		faults.place = `event ${at} (${frame.name})`;
		check.push(frame);
	}
	faults.place = "end";
	check.end();
	return faults.list;
};

/** Which deltas a block of each type takes. */
const growth: Readonly<Record<string, readonly string[]>> = {
	text: ["text_delta", "citations_delta"],
	thinking: ["thinking_delta", "signature_delta"],
	tool_use: ["input_json_delta"],
	server_tool_use: ["input_json_delta"],
	mcp_tool_use: ["input_json_delta"],
	compaction: ["compaction_delta"],
};

class MessagesCheck {
	private readonly faults: Faults;
	private started = false;
	private next = 0;
	private open: { readonly index: unknown; readonly type: string; json: string; signatures: number } | undefined;
	private stopReason: unknown;
	private tools = 0;
	private stopped = false;
	private failed = false;
	/** Arguments that are not JSON. */
	private torn = false;

	constructor(faults: Faults) {
		this.faults = faults;
	}

	push(frame: Frame): void {
		const event = expectRecord(frame.json, "data", this.faults);
		this.faults.expect(frame.name === event["type"], `named ${frame.name} but of type ${String(event["type"])}`);
		this.faults.expect(!this.stopped && !this.failed, "after the end");
		const { type } = event;
		this.faults.expect(
			this.started || type === "message_start" || type === "error" || type === "ping",
			"before message_start",
		);
		const take = this.takes[String(type)];
		if (take) take(event);
		else this.other(event);
	}

	private readonly takes: Readonly<Record<string, (event: Event) => void>> = {
		message_start: (event) => this.start(asRecord(event["message"])),
		content_block_start: (event) => this.openBlock(event),
		content_block_delta: (event) => this.grow(event),
		content_block_stop: (event) => this.close(event),
		message_delta: (event) => this.finish(event),
	};

	private other(event: Event): void {
		switch (event["type"]) {
			case "message_stop":
				this.faults.expect(this.stopReason !== undefined, "message_stop without message_delta");
				this.stopped = true;
				return;
			case "error": {
				const error = expectRecord(event["error"], "error", this.faults);
				this.faults.expect(typeof error["type"] === "string", "an error without type");
				this.faults.expect(typeof error["message"] === "string" && error["message"] !== "", "an error without message");
				this.failed = true;
				return;
			}
			case "ping":
				return;
			default:
				this.faults.expect(false, "an event this protocol has not");
		}
	}

	private start(message: Event): void {
		this.faults.expect(!this.started, "a second message_start");
		this.started = true;
		this.faults.expect(typeof message["id"] === "string" && message["id"] !== "", "no id");
		this.faults.expect(typeof message["model"] === "string" && message["model"] !== "", "no model");
		this.faults.expect(message["role"] === "assistant" && message["type"] === "message", "no role or type");
		this.faults.expect(
			Array.isArray(message["content"]) && message["content"].length === 0,
			"content is not an empty list",
		);
		this.faults.expect(message["stop_reason"] === null, "stop_reason is not null");
		const usage = asRecord(message["usage"]);
		this.faults.expect(typeof usage["input_tokens"] === "number", "no usage.input_tokens");
		this.faults.expect(typeof usage["output_tokens"] === "number", "no usage.output_tokens");
	}

	private openBlock(event: Event): void {
		const block = expectRecord(event["content_block"], "content_block", this.faults);
		this.faults.expect(this.open === undefined, "a second block is opened");
		this.faults.expect(event["index"] === this.next++, `index ${String(event["index"])} is out of order`);
		this.faults.expect(this.stopReason === undefined, "a block after message_delta");
		const type = String(block["type"]);
		this.open = { index: event["index"], type, json: "", signatures: 0 };
		if (type === "text") this.faults.expect(block["text"] === "", "a text block does not open empty");
		if (type === "thinking") this.faults.expect(block["thinking"] === "", "a thinking block does not open empty");
		if (type !== "tool_use") return;
		this.tools++;
		this.faults.expect(/^[a-zA-Z0-9_-]+$/.test(String(block["id"])), `tool id ${String(block["id"])}`);
		this.faults.expect(typeof block["name"] === "string" && block["name"] !== "", "a tool without name");
		this.faults.expect(
			isRecord(block["input"]) && Object.keys(block["input"]).length === 0,
			"input does not open as {}",
		);
	}

	private grow(event: Event): void {
		const delta = expectRecord(event["delta"], "delta", this.faults);
		const { open } = this;
		if (!this.faults.expect(open !== undefined && open.index === event["index"], "its block is not open") || !open)
			return;
		const type = String(delta["type"]);
		this.faults.expect(growth[open.type]?.includes(type) ?? false, `${type} in a ${open.type} block`);
		if (type === "input_json_delta") open.json += String(delta["partial_json"]);
		if (type === "text_delta") this.faults.expect(delta["text"] !== "", "an empty text_delta");
		if (type === "signature_delta") open.signatures++;
		else this.faults.expect(open.signatures === 0, "a delta after the signature");
		this.faults.expect(open.signatures <= 1, "a second signature");
	}

	private close(event: Event): void {
		const { open } = this;
		this.faults.expect(open !== undefined && open.index === event["index"], "its block is not open");
		if (open?.type.endsWith("tool_use")) this.arguments(open.json);
		this.open = undefined;
	}

	/** Whole arguments are an object; only a message cut at its limit may leave them torn. */
	private arguments(json: string): void {
		try {
			this.faults.expect(json === "" || isRecord(JSON.parse(json)), "arguments are not an object");
		} catch {
			this.torn = true;
		}
	}

	private finish(event: Event): void {
		this.faults.expect(this.open === undefined, "a block is open");
		this.faults.expect(this.stopReason === undefined, "a second message_delta");
		this.stopReason = asRecord(event["delta"])["stop_reason"];
		this.faults.expect(typeof this.stopReason === "string", "no stop_reason");
		this.faults.expect(typeof asRecord(event["usage"])["output_tokens"] === "number", "no usage.output_tokens");
		this.faults.expect(this.stopReason !== "tool_use" || this.tools > 0, "tool_use without a tool");
		this.faults.expect(this.stopReason !== "end_turn" || this.tools === 0, "end_turn after a tool");
		this.faults.expect(!this.torn || this.stopReason === "max_tokens", "torn arguments");
	}

	end(): void {
		if (this.failed) return;
		this.faults.expect(this.stopped, "no message_stop");
	}
}
