/** Reads answers that pass through as bytes, for accounting. An event's JSON is parsed only when it can matter. */
import {
	asList,
	asRecord,
	type Denial,
	isRecord,
	type ModelAsk,
	type Observation,
	parseJson,
	type StreamEvent,
	type StreamObserver,
	type Usage,
	type WireRecord,
} from "#core";
import { candidatesOf } from "./candidate-decoder.ts";
import { field } from "./fields.ts";
import { framingOf } from "./framing.ts";
import { decodeToldError } from "./upstream-error.ts";
import { decodeUsage } from "./usage.ts";

/** The start of a non-empty string that the model generated. */
const generated = /"(?:text|data|code|output)"\s*:\s*"(?!")/g;

/** UTF-8 bytes of the JSON string that begins at `start`, escapes counted as they stand. */
const stringBytes = (data: string, start: number): number => {
	let bytes = 0;
	for (let at = start; at < data.length; at++) {
		const unit = data.charCodeAt(at);
		if (unit === 34) break;
		if (unit === 92) at++;
		bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
	}
	return bytes;
};

/** Bytes that were generated in an event: of its texts, and of its function calls whole. */
const contentBytes = (data: string): number => {
	let bytes = 0;
	generated.lastIndex = 0;
	while (generated.test(data)) bytes += stringBytes(data, generated.lastIndex);
	const call = data.indexOf('"functionCall"');
	if (call === -1) return bytes;
	const signature = data.indexOf('"thoughtSignature"', call);
	return bytes + (signature === -1 ? data.length : signature) - call;
};

/** A count of tokens that is not zero: a placeholder says nothing. */
const told = /"(?:prompt|candidates|thoughts|total)TokenCount"\s*:\s*[1-9]/;
const ending = /"finishReason"\s*:\s*["\d]|"blockReason"\s*:\s*"/;
const failing = /^\s*\{\s*"error"\s*:/;

const usageIn = (chunk: WireRecord): Usage | undefined => decodeUsage(field(chunk, "usageMetadata"));

class Observer implements StreamObserver {
	private readonly ask: ModelAsk;
	/** The last event that told counts; parsed when it is asked for. */
	private counted: string | undefined;
	private first: string | undefined;
	private error: Denial | undefined;
	private finished = false;
	private pieces = 0;
	private bytes = 0;

	constructor(ask: ModelAsk) {
		this.ask = ask;
	}

	event({ data }: StreamEvent): void {
		if (data === "") return;
		this.first ??= data;
		const bytes = contentBytes(data);
		if (bytes > 0) {
			this.pieces++;
			this.bytes += bytes;
		}
		// Some streams tell a reason with every chunk: only what comes last counts.
		if (ending.test(data)) this.finished = true;
		else if (bytes > 0) this.finished = false;
		if (told.test(data)) this.counted = data;
		if (failing.test(data)) this.error ??= decodeToldError(parseJson(data));
	}

	result(): Observation {
		const { error, finished, pieces } = this;
		const usage = this.counted === undefined ? undefined : usageIn(asRecord(parseJson(this.counted)));
		return {
			finished: finished && error === undefined,
			pieces,
			contentBytes: this.bytes,
			...(usage && { usage }),
			...(error && { error }),
		};
	}

	cut(): string {
		const framing = framingOf(this.ask);
		if (this.finished) return framing.end();
		const first = asRecord(parseJson(this.first ?? ""));
		const last = asRecord(parseJson(this.counted ?? ""));
		const { candidates, name } = this.ask.call;
		const chunk = {
			candidates: Array.from({ length: candidates }, (_, index) => ({
				content: { role: "model" },
				finishReason: "MAX_TOKENS",
				index,
			})),
			...(last["usageMetadata"] !== undefined && { usageMetadata: last["usageMetadata"] }),
			modelVersion: name,
			responseId: typeof first["responseId"] === "string" ? first["responseId"] : "portico",
		};
		return framing.element(JSON.stringify(chunk)) + framing.end();
	}
}

/** Watches a passing stream. */
export const observer = (ask: ModelAsk): StreamObserver => new Observer(ask);

/** What a whole answer says; one of `countTokens` or of embeddings says nothing but that it came. */
export const observe = (body: unknown): Observation => {
	const chunks = asList(body).length > 0 ? asList(body) : [body];
	let usage: Usage | undefined;
	let error: Denial | undefined;
	let pieces = 0;
	let bytes = 0;
	for (const chunk of chunks.map(asRecord)) {
		usage = usageIn(chunk) ?? usage;
		if (isRecord(chunk["error"])) error ??= decodeToldError(chunk);
		for (const { candidate } of candidatesOf(chunk)) {
			const size = contentBytes(JSON.stringify(candidate["content"]) ?? "");
			if (size > 0) pieces++;
			bytes += size;
		}
	}
	return {
		finished: error === undefined,
		pieces,
		contentBytes: bytes,
		...(usage && { usage }),
		...(error && { error }),
	};
};
