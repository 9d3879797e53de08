/**
 * Which fields of an answer the client wants (`?fields=`, `?$fields=`, `x-goog-fieldmask`). The upstream is not told: what
 * it counted is needed for the bill, so it sends all, and the client is given what it asked for.
 */
import { Fault, isRecord, type ModelCall, type ModelRequest, parseJson, type WireRecord } from "#core";
import { camelOf } from "./fields.ts";

/** Fields by their camelCase names, `*` for every other; what is empty holds all that is below it. */
type FieldMask = Map<string, FieldMask>;

const header = "x-goog-fieldmask";
const deepest = 32;

const malformed = (parameter: string): Fault =>
	new Fault({
		kind: "invalid_request",
		parameter,
		code: "invalid_value",
		message: `The field mask in \`${parameter}\` cannot be read; write it like \`candidates(content,finishReason),usageMetadata/totalTokenCount\`.`,
	});

/** Reads `a,b/c,d(e,f.g)`. Wider beats narrower: `a,a/b` is `a`. */
class MaskReader {
	private readonly words: readonly string[];
	private readonly parameter: string;
	private at = 0;

	constructor(text: string, parameter: string) {
		this.words = text.match(/[^\s,()/.]+|[,()/.]/g) ?? [];
		this.parameter = parameter;
	}

	read(): FieldMask {
		const mask: FieldMask = new Map();
		this.list(mask, 0);
		if (this.at < this.words.length) throw malformed(this.parameter);
		return mask;
	}

	private list(into: FieldMask, depth: number): void {
		if (depth > deepest) throw malformed(this.parameter);
		do this.path(into, depth);
		while (this.takes(","));
	}

	private path(into: FieldMask, depth: number): void {
		let mask = into;
		let whole = false;
		for (let steps = depth; ; steps++) {
			const name = this.words[this.at++];
			if (name === undefined || /^[,()/.]$/.test(name) || steps > deepest) throw malformed(this.parameter);
			const known = mask.get(camelOf(name));
			whole = known?.size === 0;
			const next: FieldMask = known ?? new Map();
			mask.set(camelOf(name), next);
			// What is wanted whole already is not narrowed; the rest is read all the same.
			mask = whole ? new Map() : next;
			if (!this.takes("/") && !this.takes(".")) break;
		}
		if (!this.takes("(")) {
			mask.clear();
			return;
		}
		this.list(mask, depth + 1);
		if (!this.takes(")")) throw malformed(this.parameter);
	}

	private takes(word: string): boolean {
		if (this.words[this.at] !== word) return false;
		this.at++;
		return true;
	}
}

const told = ({ url, headers }: ModelRequest): readonly [parameter: string, text: string] | undefined => {
	for (const name of ["$fields", "fields"]) {
		const text = url.searchParams.get(name);
		if (text !== null && text.trim() !== "") return [name, text];
	}
	const text = headers.get(header);
	return text === null || text.trim() === "" ? undefined : [header, text];
};

/**
 * By the parsed body that the client sent, for an encoder of answers knows no more of the request; and by the call, which stays
 * the same where a guard changes words and so makes another body.
 */
const masks = new WeakMap<object, FieldMask>();

/** The call, with the client's mask where there is one. Throws `Fault` (`invalid_request`) for one that cannot be read. */
export const withFieldMask = (request: ModelRequest, call: ModelCall): ModelCall => {
	const found = told(request);
	if (!found) return call;
	const mask = new MaskReader(found[1], found[0]).read();
	if (mask.get("*")?.size === 0) return call;
	const selective: ModelCall = { ...call, selective: true };
	masks.set(request.body.value, mask);
	masks.set(selective, mask);
	return selective;
};

const pick = (value: unknown, mask: FieldMask): unknown => {
	if (mask.size === 0) return value;
	if (Array.isArray(value)) return value.map((item) => pick(item, mask));
	if (!isRecord(value)) return undefined;
	const picked: Record<string, unknown> = {};
	for (const [name, member] of Object.entries(value)) {
		const below = mask.get(camelOf(name)) ?? mask.get("*");
		const kept = below && pick(member, below);
		if (kept !== undefined) picked[name] = kept;
	}
	return picked;
};

/** The fields of an answer that the client wants; all of one that tells an error. `request`: its call, or its parsed body. */
export const masked = (answer: WireRecord, request: object): WireRecord => {
	const mask = masks.get(request);
	if (!mask || answer["error"] !== undefined) return answer;
	return pick(answer, mask) as WireRecord;
};

/** The same for an answer that is written as JSON. */
export const maskedText = (json: string, request: object): string => {
	if (!masks.has(request)) return json;
	const answer = parseJson(json);
	return isRecord(answer) ? JSON.stringify(masked(answer, request)) : json;
};
