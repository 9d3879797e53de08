/** The grammar of a Chat Completions stream, as strict as the strictest official client (openai 7). */
import { asList, asRecord, isRecord } from "#core";
import { expectRecord, Faults, type Frame, readFrames } from "./frames.ts";

interface Choice {
	role: boolean;
	finish: string | undefined;
	tools: number;
}

/** What is wrong with the stream; empty when all is well. `usage`: the client asked for the usage chunk (or did not). */
export const chatCompletionsFaults = (text: string, { usage }: { usage?: boolean } = {}): string[] => {
	const faults = new Faults();
	const frames = readFrames(text, { names: false, comments: true }, faults);
	const check = new ChatCheck(faults);
	for (const [at, frame] of frames.entries()) {
		faults.place = `event ${at}`;
		check.push(frame);
	}
	faults.place = "end";
	check.end(usage);
	return faults.list;
};

class ChatCheck {
	private readonly faults: Faults;
	private readonly choices = new Map<unknown, Choice>();
	private head: string | undefined;
	private usages = 0;
	private done = false;
	private failed = false;

	constructor(faults: Faults) {
		this.faults = faults;
	}

	push(frame: Frame): void {
		this.faults.expect(!this.done, "after [DONE]");
		if (frame.data === "[DONE]") {
			this.done = true;
			return;
		}
		this.faults.expect(!this.failed, "after an error");
		const chunk = expectRecord(frame.json, "the chunk", this.faults);
		if (chunk["error"]) this.error(chunk["error"]);
		else this.chunk(chunk);
	}

	private error(value: unknown): void {
		const error = expectRecord(value, "the error", this.faults);
		this.faults.expect(typeof error["message"] === "string" && error["message"] !== "", "an error without a message");
		this.failed = true;
	}

	private chunk(chunk: Readonly<Record<string, unknown>>): void {
		const { id, object, created, model } = chunk;
		this.faults.expect(object === "chat.completion.chunk", `object is ${String(object)}`);
		const head = JSON.stringify([id, created, model]);
		this.faults.expect(this.head === undefined || this.head === head, `${head} after ${this.head}`);
		this.head = head;
		this.faults.expect(Boolean(id) && Boolean(model) && typeof created === "number", "no id, model or time");
		if (!this.faults.expect(Array.isArray(chunk["choices"]), "choices is not a list")) return;
		const choices = asList(chunk["choices"]);
		if (isRecord(chunk["usage"])) {
			this.usages++;
			this.faults.expect(choices.length === 0, "usage beside choices");
		}
		for (const choice of choices) this.choice(asRecord(choice));
	}

	private choice({ index, delta: given, finish_reason: finish }: Readonly<Record<string, unknown>>): void {
		this.faults.expect(typeof index === "number", "a choice without index");
		const delta = expectRecord(given, "delta", this.faults);
		const known = this.choices.get(index);
		const choice = known ?? { role: false, finish: undefined, tools: 0 };
		this.choices.set(index, choice);
		this.faults.expect(choice.finish === undefined, `choice ${String(index)} goes on after its finish`);
		if (delta["role"] !== undefined) choice.role = true;
		this.faults.expect(choice.role, "content before the role");
		for (const call of asList(delta["tool_calls"])) this.call(choice, asRecord(call));
		if (finish === null || finish === undefined) return;
		choice.finish = String(finish);
		this.faults.expect(choice.tools > 0 || finish !== "tool_calls", "tool_calls without a tool call");
		this.faults.expect(choice.tools === 0 || finish !== "stop", "stop after a tool call");
	}

	private call(choice: Choice, call: Readonly<Record<string, unknown>>): void {
		const { index, id, type } = call;
		const body = asRecord(call["function"] ?? call["custom"]);
		if (index === choice.tools) {
			choice.tools++;
			this.faults.expect(typeof id === "string" && id !== "", "a tool call without id");
			this.faults.expect(type === "function" || type === "custom", "a tool call without type");
			this.faults.expect(typeof body["name"] === "string" && body["name"] !== "", "a tool call without name");
			return;
		}
		this.faults.expect(typeof index === "number" && index < choice.tools, `tool index ${String(index)} leaves a hole`);
		this.faults.expect(id === undefined && type === undefined, "id or type again");
		this.faults.expect(body["name"] === undefined, "name again");
	}

	end(usage: boolean | undefined): void {
		if (this.failed) return;
		this.faults.expect(this.done, "no [DONE]");
		this.faults.expect(this.choices.size > 0, "no choice");
		for (const [index, { finish }] of this.choices)
			this.faults.expect(finish !== undefined, `choice ${String(index)} did not finish`);
		if (usage !== undefined) this.faults.expect(this.usages === Number(usage), `${this.usages} usage chunks`);
	}
}
