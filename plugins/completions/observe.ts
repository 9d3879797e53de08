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

const inputOf = ({ call: { texts, otherTokens = 0 } }: EndpointAsk): Usage["input"] => ({
	total: texts.reduce((sum, text) => sum + estimateTextTokens(text), otherTokens),
});

/**
 * What was told, where it is a count: text has at least one output token, and zero tokens of everything is no count. Where
 * no input is told, it is estimated.
 */
export const wholeUsage = (told: Usage | undefined, ask: EndpointAsk, hasText: boolean): Usage | undefined => {
	if (!told || (told.output.total === 0 && (told.input.total === 0 || hasText))) return undefined;
	return told.input.total > 0 ? told : { ...told, input: inputOf(ask), estimated: true };
};

export class Observer implements EndpointObserver {
	private readonly ask: EndpointAsk;
	private told: Usage | undefined;
	/** How many pieces there were by then: what comes after it is not in it. */
	private toldAt = 0;
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
		const told = data.includes('"usage"') ? decodeUsage(asRecord(parseJson(data))["usage"]) : undefined;
		if (told) [this.told, this.toldAt] = [told, this.pieces];
	}

	/** What was said; of a stream that ended without a word of it, or said it too early, what was seen. */
	get usage(): Usage | undefined {
		if (!this.finished) return this.told;
		const told = wholeUsage(this.told, this.ask, this.pieces > 0);
		if (told && this.toldAt === this.pieces) return told;
		const seen = Math.max(this.pieces, Math.ceil(this.textLength / bytesPerToken));
		const output = Math.max(seen, told?.output.total ?? 0);
		return { input: inputOf(this.ask), ...told, output: { total: output }, estimated: true };
	}
}
