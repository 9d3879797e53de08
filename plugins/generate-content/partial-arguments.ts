/** Arguments of a function call that come in pieces, each at a JSON path (`$.place.city`, `$.days[0]`). */
import { asList, asNumber, asRecord, asText, type WireRecord } from "#core";
import { field } from "./fields.ts";

type Key = string | number;
type Holder = Record<Key, unknown>;

/** The steps of a JSON path; undefined for one that names nothing or reaches outside plain data. */
const stepsOf = (path: string): readonly Key[] | undefined => {
	const steps: Key[] = [];
	const pattern = /\.([^.[\]]+)|\[(\d{1,4})\]|\[['"]([^'"]*)['"]\]/y;
	pattern.lastIndex = path.startsWith("$") ? 1 : 0;
	while (pattern.lastIndex < path.length) {
		const found = pattern.exec(path);
		if (!found) return undefined;
		const name = found[1] ?? found[3];
		if (name === "__proto__") return undefined;
		steps.push(name ?? Number(found[2]));
	}
	return steps.length > 0 ? steps : undefined;
};

const pieceValue = (piece: WireRecord): unknown => {
	const text = asText(field(piece, "stringValue"));
	if (text !== undefined) return text;
	const number = asNumber(field(piece, "numberValue"));
	if (number !== undefined) return number;
	const flag = field(piece, "boolValue");
	return typeof flag === "boolean" ? flag : null;
};

/** Gathers one call's arguments. */
export class PartialArguments {
	readonly value: Record<string, unknown>;

	/** `whole`: the arguments that came whole. */
	constructor(whole: WireRecord) {
		this.value = { ...whole };
	}

	/** Takes the `partialArgs` of one part. A text that goes on is added to what came of it before. */
	add(partialArgs: unknown): void {
		for (const entry of asList(partialArgs)) {
			const piece = asRecord(entry);
			const steps = stepsOf(asText(field(piece, "jsonPath")) ?? "");
			if (steps) this.set(steps, pieceValue(piece));
		}
	}

	private set(steps: readonly Key[], value: unknown): void {
		let holder: Holder = this.value;
		for (const [at, step] of steps.slice(0, -1).entries()) {
			const held = Object.hasOwn(holder, step) ? holder[step] : undefined;
			const next = typeof held === "object" && held !== null ? held : typeof steps[at + 1] === "number" ? [] : {};
			holder[step] = next;
			holder = next as Holder;
		}
		const last = steps.at(-1) ?? "";
		const before = Object.hasOwn(holder, last) ? holder[last] : undefined;
		holder[last] = typeof before === "string" && typeof value === "string" ? before + value : value;
	}
}
