/** Text → plain values with the place of each. YAML is read leniently, so that all that is wrong with it is said at once. */
import {
	isAlias,
	isCollection,
	isNode,
	isScalar,
	isSeq,
	LineCounter,
	parseDocument,
	type YAMLMap,
	type YAMLSeq,
} from "yaml";
import type { Path, Place, Position } from "./complaint.ts";
import { expand, type Sources } from "./expand.ts";

/** What is wrong with the document itself; `path` is empty where no one value is at fault. */
export interface Flaw extends Position {
	readonly path: Path;
	readonly message: string;
}

interface ConfigDocument {
	readonly value: unknown;
	readonly place: Place;
	readonly flaws: readonly Flaw[];
	/** What came from the environment and from files. */
	readonly secrets: readonly string[];
	/** The line from which an error of syntax makes everything doubtful; infinite without one. */
	readonly soundUntil: number;
}

/** Never throws, whatever the text. */
export const readDocument = (text: string, sources: Sources): ConfigDocument => new Reader(text, sources).document();

/** A node as it was read; offsets are into the text. */
interface Read {
	readonly value: unknown;
	readonly at: number;
	readonly keyAt: number;
	readonly template?: string | undefined;
	readonly failed?: boolean;
	readonly missing?: string | undefined;
	readonly children?: ReadonlyMap<string | number, Read>;
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);
/** Errors after which the parser is known to go on as the author meant. */
const harmless = new Set(["BAD_DQ_ESCAPE", "BAD_SCALAR_START", "MULTIPLE_DOCS"]);
const deepest = 100;
/** How many collections aliases may stand for in all. */
const mostCopied = 10_000;

class Reader {
	readonly #text: string;
	readonly #sources: Sources;
	readonly #lines = new LineCounter();
	readonly #flaws: Flaw[] = [];
	readonly #secrets: string[] = [];
	readonly #anchors = new Map<string, unknown>();
	#copied = 0;

	constructor(text: string, sources: Sources) {
		this.#text = text;
		this.#sources = sources;
	}

	document(): ConfigDocument {
		const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false };
		const { contents, errors, warnings } = parseDocument(this.#text, options);
		let line = 0;
		for (const { code, message, pos } of errors) {
			// one mistake makes the parser stumble over the rest of its line
			if (this.#positionOf(pos[0]).line > line) this.#complain(pos[0], [], this.#inWords(code, message, pos[0]));
			line = this.#positionOf(pos[0]).line;
		}
		for (const { code, message, pos } of warnings) this.#complain(pos[0], [], this.#inWords(code, message, pos[0]));
		const root = this.#read(contents, 0, []);
		const place: Place = (path) => {
			let found = root;
			for (const step of path) found = found.children?.get(step) ?? found;
			const { at, keyAt, template, failed = false, missing } = found;
			return { ...this.#positionOf(at), key: this.#positionOf(keyAt), template, failed, missing };
		};
		const broken = errors.filter(({ code }) => !harmless.has(code)).map(({ pos }) => this.#positionOf(pos[0]).line);
		const soundUntil = Math.min(...broken);
		return { value: root.value, place, flaws: this.#flaws, secrets: this.#secrets, soundUntil };
	}

	#positionOf(offset: number): Position {
		const { line, col } = this.#lines.linePos(offset);
		return { line: Math.max(line, 1), column: Math.max(col, 1) };
	}

	#complain(at: number, path: Path, message: string): void {
		this.#flaws.push({ ...this.#positionOf(at), path, message });
	}

	#inWords(code: string, message: string, at: number): string {
		if (this.#text.startsWith("${", at - 1)) return `put "\${…}" in quotes here`;
		if (code === "MULTIPLE_DOCS") return "a second document begins here: a config file is one document";
		if (code === "RESOURCE_EXHAUSTION") return "nested too deep to be read";
		return `not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
	}

	#read(given: unknown, keyAt: number, path: Path, copied = false): Read {
		const at = startOf(given, keyAt);
		const again = copied || isAlias(given);
		const node = isAlias(given) ? this.#anchors.get(given.source) : given;
		if (isAlias(given) && node === undefined) this.#complain(at, path, `*${given.source} has no anchor above it`);
		if (isNode(node) && "anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
		if (isScalar(node)) return this.#scalar(node.value, at, keyAt, path);
		if (!isCollection(node) || !this.#allows(at, path, again)) return { value: null, at, keyAt, failed: isNode(given) };
		return isSeq(node) ? this.#list(node, at, keyAt, path, again) : this.#mapping(node, at, keyAt, path, again);
	}

	/** Keeps deep nesting, and aliases of aliases, from taking all memory. */
	#allows(at: number, path: Path, copied: boolean): boolean {
		if (path.length > deepest) this.#complain(at, [], `nested more than ${deepest} deep`);
		if (copied && ++this.#copied === mostCopied)
			this.#complain(at, [], `aliases stand for more than ${mostCopied} lists and mappings`);
		return path.length <= deepest && this.#copied < mostCopied;
	}

	#list({ items }: YAMLSeq, at: number, keyAt: number, path: Path, copied: boolean): Read {
		const read = items.map((item, index) => this.#read(item, at, [...path, index], copied));
		return { value: read.map(({ value }) => value), at, keyAt, children: new Map(read.entries()) };
	}

	#mapping({ items }: YAMLMap, at: number, keyAt: number, path: Path, copied: boolean): Read {
		const value: Record<string, unknown> = {};
		const children = new Map<string, Read>();
		for (const pair of items) {
			const foundAt = startOf(pair.key, at);
			const key = isScalar(pair.key) && typeof pair.key.value === "string" ? pair.key.value : undefined;
			const below = [...path, key ?? "?"];
			const child = this.#read(pair.value, foundAt, below, copied);
			const first = children.get(key ?? "");
			if (key === undefined) this.#complain(foundAt, path, "a key must be a text: put it in quotes");
			else if (forbiddenKeys.has(key)) this.#complain(foundAt, below, "this key is not allowed");
			else if (first !== undefined) {
				this.#complain(foundAt, below, `set a second time, first in line ${this.#positionOf(first.keyAt).line}`);
			} else {
				children.set(key, child);
				value[key] = child.value;
			}
		}
		return { value, at, keyAt, children };
	}

	#scalar(value: unknown, at: number, keyAt: number, path: Path): Read {
		if (typeof value !== "string" || !value.includes("${")) return { value, at, keyAt };
		const { text, expanded, problems, missing, secrets } = expand(value, this.#sources);
		for (const problem of problems) this.#complain(at, path, problem);
		this.#secrets.push(...secrets);
		const template = expanded ? value : undefined;
		return { value: text, at, keyAt, template, failed: problems.length > 0, missing: missing[0] };
	}
}

const startOf = (node: unknown, otherwise: number): number => (isNode(node) ? node.range?.[0] : undefined) ?? otherwise;
