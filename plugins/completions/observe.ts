/** Reads a passing stream of completions for accounting. */
import {
	asRecord,
	bytesPerToken,
	type EndpointAsk,
	type EndpointObserver,
	estimateTextTokens,
	parseJson,
	type StreamEvent,
	type Usage,
} from "#core";
import { decodeUsage } from "../chat-completions/service.ts";

/** What was told, where it is a count: text has at least one output token, and zero tokens of everything is no count. */
export const wholeUsage = (told: Usage | undefined, hasText: boolean): Usage | undefined =>
	told && (told.output.total > 0 || (told.input.total > 0 && !hasText)) ? told : undefined;

export class Observer implements EndpointObserver {
	private readonly ask: EndpointAsk;
	private told: Usage | undefined;
	private pieces = 0;
	private textLength = 0;
	finished = false;

	constructor(ask: EndpointAsk) {
		this.ask = ask;
	}

	event({ data }: StreamEvent): void {
		if (data === "[DONE]") {
			this.finished = true;
			return;
		}
		const text = /"(?:text|content)"\s*:\s*"((?:[^"\\]|\\.)+)"/.exec(data)?.[1];
		if (text !== undefined) {
			this.pieces++;
			this.textLength += text.length;
		}
		if (data.includes('"usage"')) this.told = decodeUsage(asRecord(parseJson(data))["usage"]) ?? this.told;
	}

	/** What was said; of a stream that ended without a word of it, what was seen. */
	get usage(): Usage | undefined {
		const told = this.finished ? wholeUsage(this.told, this.pieces > 0) : this.told;
		if (told || !this.finished) return told;
		const { texts, otherTokens = 0 } = this.ask.call;
		const input = texts.reduce((sum, text) => sum + estimateTextTokens(text), otherTokens);
		const output = Math.max(this.pieces, Math.ceil(this.textLength / bytesPerToken));
		return { input: { total: input }, output: { total: output }, estimated: true };
	}
}
