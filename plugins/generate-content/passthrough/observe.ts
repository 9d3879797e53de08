/** Reads answers that pass through as bytes, for accounting. An event's JSON is parsed only when it can matter. */
import {
	asList,
	asRecord,
	type Denial,
	definedOnly,
	EventTemplate,
	eventMembers,
	isRecord,
	jsonStringBytes,
	type ModelAsk,
	type Observation,
	type Progress,
	parseJson,
	type StreamEvent,
	type StreamObserver,
	type Usage,
	type WireRecord,
} from "#core";
import { candidatesOf } from "../candidates.ts";
import { field } from "../fields.ts";
import { noAnswer } from "../finish.ts";
import { framingOf } from "../framing.ts";
import { Searches } from "../searches.ts";
import { decodeToldError } from "../upstream/upstream-error.ts";
import { decodeTier, decodeUsage } from "../usage.ts";

/** Where the string begins that is the value of the member whose name ends at `at`; -1 when its value is none. */
const valueStart = (data: string, at: number): number => {
	let colons = 0;
	for (let next = at; next < data.length; next++) {
		const unit = data.charCodeAt(next);
		if (unit === 34) return colons === 1 ? next + 1 : -1;
		if (unit === 58) colons++;
		else if (unit !== 32 && unit !== 9 && unit !== 10 && unit !== 13) return -1;
	}
	return -1;
};

/** Bytes of all strings under this name. Within a string the quotes around it would be escaped, so none is found there. */
const bytesUnder = (data: string, name: string): number => {
	let bytes = 0;
	for (let at = data.indexOf(name); at !== -1; at = data.indexOf(name, at + name.length)) {
		const start = valueStart(data, at + name.length);
		if (start !== -1) bytes += jsonStringBytes(data, start);
	}
	return bytes;
};

/** Bytes that were generated in an event: of its texts, its media and code, and of its function calls whole. */
const contentBytes = (data: string): number => {
	const bytes = bytesUnder(data, '"text"');
	// Nearly every chunk is a piece of text and nothing else.
	if (bytes > 0 && !data.includes('"functionCall"')) return bytes;
	const others = bytesUnder(data, '"data"') + bytesUnder(data, '"code"') + bytesUnder(data, '"output"');
	const call = data.indexOf('"functionCall"');
	if (call === -1) return bytes + others;
	const signature = data.indexOf('"thoughtSignature"', call);
	return bytes + others + (signature === -1 ? data.length : signature) - call;
};

/** A count of tokens that is not zero: a placeholder says nothing. */
const told = /"(?:prompt|candidates|thoughts|total)TokenCount"\s*:\s*[1-9]/;
const failing = /^\s*\{\s*"error"\s*:/;

const tellsCounts = (data: string): boolean => {
	const at = data.indexOf('"usageMetadata"');
	return at !== -1 && told.test(at === 0 ? data : data.slice(at));
};

const tellsEnd = (data: string): boolean => data.includes('"finishReason"') || data.includes('"blockReason"');

const tellsSearches = /"(?:grounding|url_?[cC]ontext)_?[mM]etadata"/;

/** What is counted beside texts, or may be a failure. */
const mayBeMore = /"(?:functionCall|data|code|output|error)"/;

/** A search is part of what was used, and no count of Google's own tells it. */
const tellUse = (usage: Usage | undefined, serverTools: Usage["serverTools"]) => ({
	...(usage && { usage: serverTools ? { ...usage, serverTools } : usage }),
	...(serverTools && { serverTools }),
});

const usageIn = (chunk: WireRecord): Usage | undefined => decodeUsage(field(chunk, "usageMetadata"));

const tierIn = (chunk: WireRecord): string | undefined => decodeTier(field(chunk, "usageMetadata"));

const ordinary = /^(?:STOP|(?:FINISH|BLOCKED)_REASON_UNSPECIFIED|)$/;

/** The reason why it ended, where that is not the answer's own end. */
const stopOf = (reason: unknown): string | undefined =>
	typeof reason === "string" && !ordinary.test(reason) ? reason : undefined;

const stopIn = (data: string): string | undefined =>
	stopOf(/"(?:finish|block)Reason"\s*:\s*"([A-Z_]+)"/.exec(data)?.[1]);

const words = eventMembers(["text"]);

class Observer implements StreamObserver {
	private readonly ask: ModelAsk;
	private readonly template = new EventTemplate(words);
	/** The last event that told counts, and how many pieces there were by then; parsed when it is asked for. */
	private counted: string | undefined;
	/** What it tells of usage; undefined where it has still to be read. */
	private usage: Usage | undefined;
	private tier: string | undefined;
	private told = 0;
	private readonly searches = new Searches();
	private first: string | undefined;
	private error: Denial | undefined;
	private finished = false;
	private stopped: string | undefined;
	private pieces = 0;
	private bytes = 0;

	constructor(ask: ModelAsk) {
		this.ask = ask;
	}

	event({ data }: StreamEvent): void {
		if (data === "") return;
		if (this.template.repeats(data)) {
			this.count(this.template.bytes);
			return;
		}
		this.first ??= data;
		const bytes = contentBytes(data);
		const ends = tellsEnd(data);
		const counts = tellsCounts(data);
		this.count(bytes);
		// Some streams tell a reason with every chunk: only what comes last counts.
		if (ends) {
			this.finished = true;
			this.stopped = stopIn(data);
		}
		if (tellsSearches.test(data)) this.searches.add(asRecord(parseJson(data)));
		if (counts) {
			this.counted = data;
			this.usage = undefined;
			this.told = this.pieces;
		}
		if (bytes > 0 && !ends && !counts && !mayBeMore.test(data)) this.template.learn(data);
		if (data.includes('"error"') && failing.test(data)) this.error ??= decodeToldError(parseJson(data));
	}

	private count(bytes: number): void {
		if (bytes === 0) return;
		this.pieces++;
		this.bytes += bytes;
		this.finished = false;
	}

	progress(): Progress {
		return { finished: this.finished && this.error === undefined, pieces: this.pieces, contentBytes: this.bytes };
	}

	result(): Observation {
		const { error, pieces, searches, stopped } = this;
		if (this.counted !== undefined && this.usage === undefined) {
			const chunk = asRecord(parseJson(this.counted));
			this.usage = usageIn(chunk);
			this.tier = tierIn(chunk);
		}
		const { usage: told, tier } = this;
		return {
			...this.progress(),
			...tellUse(told, searches.calls),
			...(told && this.told < pieces && { usageIsTotal: false }),
			...(error && { error }),
			...(stopped !== undefined && { stopped }),
			...(tier !== undefined && { tier }),
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

const holds = (chunks: readonly unknown[], names: readonly string[]): boolean =>
	chunks.some((chunk) => names.some((name) => field(asRecord(chunk), name) !== undefined));

/** Whether it is an answer; one of nothing but counts tells what it cost and holds none. */
const ending = (chunks: readonly unknown[], told: Denial | undefined): Pick<Observation, "finished" | "error"> => {
	if (told) return { finished: false, error: told };
	if (holds(chunks, ["candidates", "promptFeedback", "totalTokens"])) return { finished: true };
	return { finished: false, ...(holds(chunks, ["usageMetadata"]) && { error: noAnswer }) };
};

/** What a whole answer says; one of `countTokens` says nothing but that it came. */
export const observe = (body: unknown): Observation => {
	const chunks = asList(body).length > 0 ? asList(body) : [body];
	let told: Usage | undefined;
	const searches = new Searches();
	let error: Denial | undefined;
	let pieces = 0;
	let bytes = 0;
	let stopped: string | undefined;
	let tier: string | undefined;
	for (const chunk of chunks.map(asRecord)) {
		stopped ??= stopOf(field(asRecord(field(chunk, "promptFeedback")), "blockReason"));
		told = usageIn(chunk) ?? told;
		tier = tierIn(chunk) ?? tier;
		searches.add(chunk);
		if (isRecord(chunk["error"])) error ??= decodeToldError(chunk);
		for (const { candidate } of candidatesOf(chunk)) {
			stopped ??= stopOf(field(candidate, "finishReason"));
			const size = contentBytes(JSON.stringify(candidate["content"]) ?? "");
			if (size > 0) pieces++;
			bytes += size;
		}
	}
	return {
		...ending(chunks, error),
		pieces,
		contentBytes: bytes,
		...tellUse(told, searches.calls),
		...definedOnly({ stopped, tier }),
	};
};
