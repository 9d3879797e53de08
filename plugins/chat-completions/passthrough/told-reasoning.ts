/**
 * Reasoning that stands before the calls of an answer that passes, for clients that give the calls back without it: models
 * such as DeepSeek's want it there. Of a stream only what tells of it is read, and nothing once something else was said.
 */
import { asList, asRecord, asText, parseJson, type WireRecord } from "#core";
import { plainReasoning } from "../reasoning.ts";
import { firstCallId } from "../tool-call-ids.ts";

const piecePattern = /"reasoning(?:_content)?"\s*:\s*("(?:[^"\\]|\\.)*")/;
/** Words or a call. */
const saidPattern = /"content"\s*:\s*"(?!")|"tool_calls"\s*:\s*\[/;

export class ToldReasoning {
	private text = "";
	private call: string | undefined;

	/** Reads an event; false once there is nothing more to find. */
	read(data: string): boolean {
		const piece = data.includes('"reasoning') ? piecePattern.exec(data)?.[1] : undefined;
		if (piece !== undefined) {
			this.text += asText(parseJson(piece)) ?? "";
			return true;
		}
		if (this.text === "") return !saidPattern.test(data);
		if (!data.includes('"tool_calls"')) return true;
		this.call = firstCallId(asRecord(asRecord(asList(asRecord(parseJson(data))["choices"])[0])["delta"]));
		return this.call === undefined;
	}

	/** The answer with nothing but that; undefined where no call came after reasoning. */
	get answer(): WireRecord | undefined {
		if (this.call === undefined) return undefined;
		const message = { tool_calls: [{ id: this.call }], reasoning_content: this.text };
		return { choices: [{ message }] };
	}
}

/** Whether the message of a whole answer reasons and calls. */
export const reasonsAndCalls = (message: WireRecord): boolean =>
	firstCallId(message) !== undefined && plainReasoning(message) !== undefined;
