/** A JSON request body: scanned before it is parsed, parsed once, and edited without touching what need not change. */
import { Fault } from "../contract/fault.ts";
import type { JsonBody, Member } from "../contract/json-body.ts";
import { type Edit, HeldBody, heldBody } from "./held-body.ts";
import { JsonCost } from "./json-cost.ts";
import { closes, comma, isSpace, opens, quote, skipString } from "./json-signs.ts";
import { namedTwiceIn } from "./named-twice.ts";

/** Limits that keep parsing cheap whatever is sent. */
export interface JsonLimits {
	readonly depth: number;
	/** Values, keys and punctuation marks, roughly. */
	readonly nodes: number;
	/** Fields of the root, each of which is looked at by itself; any number unless said. */
	readonly fields?: number;
	/**
	 * Whether a field may stand twice in an object. Most readers take the last, Google's add up lists and pass over a null: what
	 * was looked at would not be what an upstream reads. No, unless said. Where it may, any number of names is read too.
	 */
	readonly repeats?: boolean;
}

const defaultLimits = { depth: 64, nodes: 500_000, fields: 1_000 } as const satisfies JsonLimits;

/** What has no more costs little, whatever it is. */
const cheapNodes = 10_000;

const nodesWithin = (value: unknown): number => (typeof value === "object" && value !== null ? nodesIn(value) : 0);

/** How many of them an object has, as they are counted in a text: fewer where a name stood twice. */
const nodesIn = (value: object): number => {
	let nodes = 0;
	if (Array.isArray(value)) for (const one of value) nodes += 1 + nodesWithin(one);
	else for (const name in value) nodes += 1 + nodesWithin(value[name as keyof typeof value]);
	return nodes || 1;
};

const invalid = (message: string): never => {
	throw new Fault({ kind: "invalid_request", code: "invalid_json", message });
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const decode = (bytes: Uint8Array): string => {
	try {
		return utf8.decode(bytes);
	} catch {
		return invalid("The request body is not valid UTF-8; send JSON encoded as UTF-8.");
	}
};

const parse = (text: string): unknown => {
	try {
		return JSON.parse(text);
	} catch {
		if (text.startsWith("\ufeff"))
			return invalid("The request body begins with a byte order mark (U+FEFF), which JSON has not; send it without.");
		return invalid("The request body is not valid JSON. Check for a missing quote, a trailing comma or a comment.");
	}
};

const namedTwice = (name: string): Fault => {
	const parameter = name.slice(0, 64);
	const message = `The request body names "${parameter}" twice; send each field once.`;
	return new Fault({ kind: "invalid_request", parameter, message });
};

const refuseRepeats = (text: string): void => {
	const name = namedTwiceIn(text);
	if (name !== undefined) throw namedTwice(name);
};

/** The index of what ends a root's value that begins at `start`, a comma or what closes the root. Contents of strings are jumped over. */
const endOfValue = (text: string, start: number, limits: JsonLimits, counted: { nodes: number }): number => {
	let depth = 1;
	for (let at = start; at < text.length && depth <= limits.depth; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) at = skipString(text, at) - 1;
		else if (code === comma) {
			if (depth === 1) return at;
			counted.nodes++;
		} else if (opens(code)) {
			counted.nodes++;
			depth++;
		} else if (closes(code) && --depth === 0) return at;
	}
	if (depth > limits.depth) invalid(`The request body is nested deeper than ${limits.depth} levels.`);
	return text.length;
};

const refuseBeyond = (limits: JsonLimits, nodes: number, fields: number): void => {
	if (nodes > limits.nodes) invalid(`The request body has more than ${limits.nodes} values.`);
	if (fields > (limits.fields ?? fields)) invalid(`The request body has more than ${limits.fields} fields.`);
};

/**
 * One pass over the structure: depth, size, and where the root's members are. What is no JSON is left to the parser, which
 * comes after.
 */
const rootMembers = (text: string, limits: JsonLimits, counted = { nodes: 0 }): ReadonlyMap<string, Member> => {
	const found = new Map<string, Member>();
	const { fields = Number.POSITIVE_INFINITY } = limits;
	let end = text.indexOf("{");
	do {
		const keyStart = text.indexOf('"', end + 1);
		if (keyStart === -1) break;
		const keyEnd = skipString(text, keyStart);
		const word = text.slice(keyStart + 1, keyEnd - 1);
		const name = word.includes("\\") ? String(parse(`"${word}"`)) : word;
		if (found.has(name)) throw namedTwice(name);
		let valueStart = text.indexOf(":", keyEnd) + 1;
		if (valueStart === 0) break;
		end = endOfValue(text, valueStart, limits, counted);
		// The spaces around a value are not its own, and stay when it changes.
		let valueEnd = end;
		while (isSpace(text.charCodeAt(valueStart))) valueStart++;
		while (isSpace(text.charCodeAt(valueEnd - 1))) valueEnd--;
		found.set(name, { keyStart, valueStart, valueEnd });
		counted.nodes++;
	} while (text.charCodeAt(end) === comma && found.size <= fields);
	refuseBeyond(limits, counted.nodes, found.size);
	return found;
};

/** More than a model can read of text in which every letter is written so; the parser takes thirty times as long for one as for a letter. */
const mostEscapes = 2_500_000;

const refuseEscapes = (text: string): void => {
	let escapes = 0;
	for (let at = text.indexOf("\\"); at !== -1; at = text.indexOf("\\", at + 2))
		if (++escapes > mostEscapes)
			invalid(
				`The request body has more than ${mostEscapes} characters written as escapes (\\n, \\u4e00); send less at once.`,
			);
};

const refuseCostly = ({ complaint }: JsonCost, what = "request body"): void => {
	if (complaint !== undefined) invalid(`The ${what} ${complaint}; send less at once.`);
};

/** Values of all texts of JSON in a request: as many as no model reads at once. */
const mostWritten = 2_000_000;

/**
 * Throws `Fault` where fields hold more JSON, written as texts, than may be read at once: arguments of calls, results for
 * protocols that have no texts for them.
 */
export const refuseCostlyTexts = (fields: unknown, mostValues = mostWritten): void =>
	refuseCostly(new JsonCost(mostValues).addWithin(fields), "JSON that is written as texts in the request");

/**
 * Reads a request body that must be a JSON object. Throws `Fault` (`invalid_request`) for bytes that are not UTF-8,
 * nesting or size beyond `limits`, text that is not JSON, a root that is not an object, and a field named twice in one object.
 */
export const readJsonBody = (bytes: Uint8Array, limits: JsonLimits = defaultLimits): HeldBody => {
	if (bytes.length === 0) invalid("The request body is empty; send a JSON object.");
	const text = decode(bytes);
	if (bytes.length > 2 * mostEscapes) refuseEscapes(text);
	const first = text.trimStart().charAt(0);
	if (first !== "{") invalid("The request body must be a JSON object, that is, begin with `{`.");
	const counted = { nodes: 0 };
	const members = rootMembers(text, limits, counted);
	if (limits.repeats === true) return new HeldBody(bytes, text, parse(text) as JsonBody["value"], members);
	if (counted.nodes > cheapNodes) refuseCostly(new JsonCost(limits.nodes).add(text));
	const value = parse(text) as JsonBody["value"];
	if (counted.nodes !== nodesIn(value)) refuseRepeats(text);
	return new HeldBody(bytes, text, value, members);
};

/**
 * The body with some root fields set (`undefined` removes one); everything else stays byte for byte, so numbers, key
 * order and cached prefixes survive. Without changes it is the client's own bytes.
 */
export const editJsonBody = (body: JsonBody, changes: Readonly<Record<string, unknown>>): string | Uint8Array => {
	const edits: Edit[] = [];
	let removed = 0;
	let added = "";
	for (const name in changes) {
		const value = changes[name];
		const member = body.members.get(name);
		if (value !== undefined && !member) added += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
		else if (value === undefined && member) removed++;
		else if (member) edits.push({ start: member.valueStart, end: member.valueEnd, text: JSON.stringify(value) });
	}
	if (removed > 0) edits.push(...removals(body, changes));
	if (edits.length === 0 && added === "") return heldBody(body).unedited();
	const text = removed === body.members.size ? added.slice(0, -1) : added;
	if (text !== "") {
		const open = body.text.indexOf("{") + 1;
		edits.push({ start: open, end: open, text });
	}
	if (edits.length > 1) edits.sort((a, b) => a.start - b.start || a.end - b.end);
	return heldBody(body).edited(edits);
};

/** The body as `editJsonBody` leaves it, to be read and edited like one that arrived. What was parsed is not parsed again. */
export const changeJsonBody = (body: JsonBody, changes: Readonly<Record<string, unknown>>): JsonBody => {
	const text = editJsonBody(body, changes);
	if (typeof text !== "string" || text === body.text) return body;
	const changed = Object.entries({ ...body.value, ...changes }).filter(([, value]) => value !== undefined);
	const members = rootMembers(text, defaultLimits);
	return new HeldBody(new TextEncoder().encode(text), text, Object.fromEntries(changed), members);
};

/** A member goes with the comma behind it; those at the end go together, with the comma before the first of them. */
const removals = ({ members }: JsonBody, changes: Readonly<Record<string, unknown>>): readonly Edit[] => {
	const cuts: Edit[] = [];
	let keptEnd: number | undefined;
	let run: number | undefined;
	let end = 0;
	for (const [name, member] of members) {
		end = member.valueEnd;
		if (Object.hasOwn(changes, name) && changes[name] === undefined) run ??= member.keyStart;
		else {
			if (run !== undefined) cuts.push({ start: run, end: member.keyStart, text: "" });
			run = undefined;
			keptEnd = member.valueEnd;
		}
	}
	if (run !== undefined) cuts.push({ start: keptEnd ?? run, end, text: "" });
	return cuts;
};
