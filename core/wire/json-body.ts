/** A JSON request body: scanned before it is parsed, parsed once, and edited without touching what need not change. */
import { Fault } from "../contract/fault.ts";
import type { JsonBody, Member } from "../contract/json-body.ts";
import { type Edit, HeldBody, heldBody } from "./held-body.ts";

/** Limits that keep parsing cheap whatever is sent. */
export interface JsonLimits {
	readonly depth: number;
	/** Values, keys and punctuation marks, roughly. */
	readonly nodes: number;
}

const defaultLimits: JsonLimits = { depth: 64, nodes: 500_000 };

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

/** The index just after the string that opens at `start`. */
export const skipString = (text: string, start: number): number => {
	let close = text.indexOf('"', start + 1);
	while (close !== -1) {
		let slashes = 0;
		while (text.charCodeAt(close - 1 - slashes) === 92) slashes++;
		if (slashes % 2 === 0) return close + 1;
		close = text.indexOf('"', close + 1);
	}
	return invalid("The request body is not valid JSON: a string is not closed.");
};

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

const parse = (text: string): unknown => {
	try {
		return JSON.parse(text);
	} catch {
		return invalid("The request body is not valid JSON. Check for a missing quote, a trailing comma or a comment.");
	}
};

/** The value alone: the spaces around it are not its own, and stay when it changes. */
const memberBetween = (text: string, keyStart: number, from: number, to: number): Member => {
	let valueStart = from;
	let valueEnd = to;
	while (isSpace(text.charCodeAt(valueStart))) valueStart++;
	while (isSpace(text.charCodeAt(valueEnd - 1))) valueEnd--;
	return { keyStart, valueStart, valueEnd };
};

export const namedTwice = (name: string): Fault => {
	const parameter = name.slice(0, 64);
	const message = `The request body names "${parameter}" twice; send each field once.`;
	return new Fault({ kind: "invalid_request", parameter, message });
};

/** The root's members while they are found: a key, its colon, and where its value ends. */
class Members {
	readonly found = new Map<string, Member>();
	private readonly text: string;
	private name: string | undefined;
	private keyStart = 0;
	private valueStart = -1;

	constructor(text: string) {
		this.text = text;
	}

	/** A string of the root: a key, unless it is what a key stands before. */
	string(start: number, end: number): void {
		if (this.name !== undefined) return;
		const name = this.text.slice(start + 1, end - 1);
		this.name = name.includes("\\") ? String(parse(`"${name}"`)) : name;
		this.keyStart = start;
	}

	colon(at: number): void {
		if (this.valueStart === -1) this.valueStart = at + 1;
	}

	valueEnds(at: number): void {
		const { name } = this;
		if (name === undefined || this.valueStart === -1) return;
		if (this.found.has(name)) throw namedTwice(name);
		this.found.set(name, memberBetween(this.text, this.keyStart, this.valueStart, at));
		this.name = undefined;
		this.valueStart = -1;
	}
}

const tooDeep = (depth: number): never => invalid(`The request body is nested deeper than ${depth} levels.`);

const quote = 34;
const comma = 44;
const colon = 58;
const opens = (code: number): boolean => code === 123 || code === 91;
const closes = (code: number): boolean => code === 125 || code === 93;

/** The index of what closes the list or object that opens at `start`, in the root. Contents of strings are jumped over. */
const nestedEnd = (text: string, start: number, limits: JsonLimits, counted: { nodes: number }): number => {
	let depth = 1;
	for (let at = start; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) at = skipString(text, at) - 1;
		else if (code === comma || opens(code)) {
			counted.nodes++;
			if (code !== comma && ++depth > limits.depth) tooDeep(limits.depth);
		} else if (closes(code) && --depth === 1) return at;
	}
	return text.length;
};

/** One pass over the structure: depth, size, and where the root's members are. What follows the root is left to the parser. */
const rootMembers = (text: string, limits: JsonLimits): ReadonlyMap<string, Member> => {
	const root = new Members(text);
	const counted = { nodes: 1 };
	for (let at = text.indexOf("{") + 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) {
			const end = skipString(text, at);
			root.string(at, end);
			at = end - 1;
		} else if (code === colon) root.colon(at);
		else if (opens(code)) at = nestedEnd(text, at, limits, counted);
		else if (code === comma || closes(code)) {
			root.valueEnds(at);
			if (code !== comma) break;
			counted.nodes++;
		}
	}
	if (counted.nodes > limits.nodes) invalid(`The request body has more than ${limits.nodes} values.`);
	return root.found;
};

/**
 * Reads a request body that must be a JSON object. Throws `Fault` (`invalid_request`) for bytes that are not UTF-8,
 * nesting or size beyond `limits`, text that is not JSON, a root that is not an object, and a root field named twice.
 */
export const readJsonBody = (bytes: Uint8Array, limits: JsonLimits = defaultLimits): HeldBody => {
	if (bytes.length === 0) invalid("The request body is empty; send a JSON object.");
	const text = decode(bytes);
	const first = text.trimStart().charAt(0);
	if (first !== "{") invalid("The request body must be a JSON object, that is, begin with `{`.");
	const members = rootMembers(text, limits);
	return new HeldBody(bytes, { text, value: parse(text) as Readonly<Record<string, unknown>>, members });
};

/**
 * The body with some root fields set (`undefined` removes one); everything else stays byte for byte, so numbers, key
 * order and cached prefixes survive. Without changes it is the client's own bytes.
 */
export const editJsonBody = (body: JsonBody, changes: Readonly<Record<string, unknown>>): string | Uint8Array => {
	const edits: Edit[] = [];
	const removed = new Set<string>();
	let added = "";
	for (const name in changes) {
		const value = changes[name];
		const member = body.members.get(name);
		if (value !== undefined && !member) added += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
		else if (value === undefined && member) removed.add(name);
		else if (member) edits.push({ start: member.valueStart, end: member.valueEnd, text: JSON.stringify(value) });
	}
	if (removed.size > 0) edits.push(...removals(body, removed));
	if (edits.length === 0 && added === "") return heldBody(body).unedited();
	const open = body.text.indexOf("{") + 1;
	const text = removed.size === body.members.size ? added.slice(0, -1) : added;
	if (text !== "") edits.push({ start: open, end: open, text });
	if (edits.length > 1) edits.sort((a, b) => a.start - b.start || a.end - b.end);
	return heldBody(body).edited(edits);
};

/** The body as `editJsonBody` leaves it, to be read and edited like one that arrived. What was parsed is not parsed again. */
export const changeJsonBody = (body: JsonBody, changes: Readonly<Record<string, unknown>>): JsonBody => {
	const text = editJsonBody(body, changes);
	if (typeof text !== "string" || text === body.text) return body;
	const changed = Object.entries({ ...body.value, ...changes }).filter(([, value]) => value !== undefined);
	const members = rootMembers(text, defaultLimits);
	return new HeldBody(new TextEncoder().encode(text), { text, value: Object.fromEntries(changed), members });
};

/** A member goes with the comma behind it; those at the end go together, with the comma before the first of them. */
const removals = (body: JsonBody, names: ReadonlySet<string>): readonly Edit[] => {
	const cuts: Edit[] = [];
	let keptEnd: number | undefined;
	let run: number | undefined;
	let end = 0;
	for (const [name, member] of body.members) {
		end = member.valueEnd;
		if (names.has(name)) run ??= member.keyStart;
		else {
			if (run !== undefined) cuts.push({ start: run, end: member.keyStart, text: "" });
			run = undefined;
			keptEnd = member.valueEnd;
		}
	}
	if (run !== undefined) cuts.push({ start: keptEnd ?? run, end, text: "" });
	return cuts;
};
