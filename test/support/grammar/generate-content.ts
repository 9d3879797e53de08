/** The grammar of a generateContent stream, as strict as the strictest official clients (@google/genai 1 to 3, gemini-cli). */
import { asList, asRecord, isRecord } from "#core";
import { expectRecord, Faults, readFrames } from "./frames.ts";

type Item = Readonly<Record<string, unknown>>;

/** What is wrong with the stream; empty when all is well. `array`: the client did not ask for `alt=sse`. */
export const generateContentFaults = (text: string, { array = false }: { array?: boolean } = {}): string[] => {
	const faults = new Faults();
	const check = new GenerateContentCheck(faults);
	for (const [at, chunk] of (array ? readArray(text, faults) : readEvents(text, faults)).entries()) {
		faults.place = `chunk ${at}`;
		check.push(chunk);
	}
	faults.place = "end";
	check.end();
	return faults.list;
};

const readArray = (text: string, faults: Faults): readonly Item[] => {
	try {
		const items: unknown = JSON.parse(text);
		faults.expect(Array.isArray(items), "not a JSON array");
		return asList(items).map(asRecord);
	} catch {
		faults.expect(false, "not JSON");
		return [];
	}
};

/**
 * An error within a stream is written twice, for clients that see only one: as an event, and last as a bare line that no
 * blank line follows. In this order @google/genai 1 fails however the network cuts the stream; the bare line first and
 * in one piece with the event, it takes the stream for complete.
 */
const readEvents = (text: string, faults: Faults): readonly Item[] => {
	const raw = /(?<=^|\n\n)\{"error":[^\n]*\}\n$/.exec(text);
	const events = raw ? text.slice(0, raw.index) : text;
	const frames = readFrames(events, { names: false, comments: false }, faults);
	const chunks = frames.map(({ json }) => expectRecord(json, "the chunk", faults));
	const failed = chunks.some((chunk) => chunk["error"] !== undefined);
	faults.expect(failed === (raw !== null), "an error must come both as a raw line and as an event");
	return chunks;
};

class GenerateContentCheck {
	private readonly faults: Faults;
	private readonly finished = new Set<unknown>();
	private readonly seen = new Set<unknown>();
	private blocked = false;
	private failed = false;

	constructor(faults: Faults) {
		this.faults = faults;
	}

	push(chunk: Item): void {
		this.faults.expect(!this.failed, "after an error");
		if (chunk["error"] !== undefined) {
			const error = expectRecord(chunk["error"], "error", this.faults);
			this.faults.expect(
				typeof error["code"] === "number" && typeof error["message"] === "string",
				"no code or message",
			);
			this.faults.expect(typeof error["status"] === "string", "no status");
			this.failed = true;
			return;
		}
		this.faults.expect(typeof chunk["responseId"] === "string", "no responseId");
		this.faults.expect(typeof chunk["modelVersion"] === "string", "no modelVersion");
		if (chunk["promptFeedback"] !== undefined) this.blocked = true;
		for (const candidate of asList(chunk["candidates"])) this.candidate(asRecord(candidate));
	}

	private candidate(candidate: Item): void {
		const index = candidate["index"] ?? 0;
		this.seen.add(index);
		this.faults.expect(!this.finished.has(index), `candidate ${String(index)} goes on after its finishReason`);
		const content = asRecord(candidate["content"]);
		if (candidate["content"] !== undefined) this.faults.expect(content["role"] === "model", "content without its role");
		for (const part of asList(content["parts"])) this.part(asRecord(part));
		if (candidate["finishReason"] !== undefined) this.finished.add(index);
	}

	private part(part: Item): void {
		const { text, functionCall, thoughtSignature } = part;
		const kinds = Object.keys(part).filter(
			(key) => !["thought", "thoughtSignature", "partMetadata", "videoMetadata"].includes(key),
		);
		this.faults.expect(kinds.length === 1, `a part with ${kinds.join(", ") || "nothing"}`);
		this.faults.expect(text !== "" || thoughtSignature !== undefined, "an empty text part");
		if (functionCall === undefined) return;
		const call = expectRecord(functionCall, "functionCall", this.faults);
		this.faults.expect(typeof call["name"] === "string" && call["name"] !== "", "a functionCall without name");
		this.faults.expect(call["args"] === undefined || isRecord(call["args"]), "args is not an object");
	}

	end(): void {
		if (this.failed || this.blocked) return;
		this.faults.expect(this.seen.size > 0, "no candidate");
		for (const index of this.seen)
			this.faults.expect(this.finished.has(index), `candidate ${String(index)} did not finish`);
	}
}
