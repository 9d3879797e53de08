/**
 * Reasoning that stands before the calls of an answer that passes, for clients that give the calls back without it: models
 * such as DeepSeek's want it there. Of a stream only what tells of it is read, and nothing once something else was said.
 */
import { asList, asRecord, parseJson, type WireRecord } from "#core";
import { longestReasoning, plainReasoning } from "../reasoning.ts";
import { firstCallId } from "../tool-call-ids.ts";

/** Words or a call. */
const saidPattern = /"content"\s*:\s*"(?!")|"tool_calls"\s*:\s*\[/;

export class ToldReasoning {
	private text = "";
	private call: string | undefined;

	/** Reads an event; false once there is nothing more to find. */
	read(data: string): boolean {
		if (data.includes('"reasoning') || (this.text !== "" && data.includes('"tool_calls"'))) this.take(data);
		return this.text === "" ? !saidPattern.test(data) : this.call === undefined && this.text.length <= longestReasoning;
	}

	private take(data: string): void {
		const delta = asRecord(asRecord(asList(asRecord(parseJson(data))["choices"])[0])["delta"]);
		this.text += plainReasoning(delta)?.text ?? "";
		if (this.text !== "") this.call = firstCallId(delta);
	}

	/** The answer with nothing but that; undefined where no call came after reasoning. */
	get answer(): WireRecord | undefined {
		if (this.call === undefined || this.text.length > longestReasoning) return undefined;
		const message = { tool_calls: [{ id: this.call }], reasoning_content: this.text };
		return { choices: [{ message }] };
	}
}

/** Whether the message of a whole answer reasons and calls. */
export const reasonsAndCalls = (message: WireRecord): boolean =>
	firstCallId(message) !== undefined && plainReasoning(message) !== undefined;
