/** Reads fields of Gemini's JSON, which may be spelled `camelCase` or `snake_case`: the API takes both. */
import { asRecord, isRecord, remembering, type WireRecord } from "#core";

const snakes = new Map<string, string>();

const snakeOf = (name: string): string => {
	let snake = snakes.get(name);
	if (snake === undefined) {
		snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
		snakes.set(name, snake);
	}
	return snake;
};

const camel = (name: string): string =>
	name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const knownCamels = remembering(camel);

/** A field's name in camelCase, however it is spelled. Names that no API has are not kept. */
export const camelOf = (name: string): string => (name.length > 64 ? camel(name) : knownCamels(name));

/** These names, each in either spelling. */
export const bothSpellings = (...names: readonly string[]): ReadonlySet<string> =>
	new Set(names.flatMap((name) => [name, snakeOf(name)]));

/** The field by its camelCase name, in either spelling; undefined when absent or null. */
export const field = (record: WireRecord, name: string): unknown => record[name] ?? record[snakeOf(name)] ?? undefined;

/** The field as an object; an empty one for anything else. */
export const recordField = (record: WireRecord, name: string): WireRecord => asRecord(field(record, name));

/** The field as a list; a lone object stands for a list of one, as the API has it. */
export const listField = (record: WireRecord, name: string): readonly unknown[] => {
	const value = field(record, name);
	if (Array.isArray(value)) return value;
	return isRecord(value) ? [value] : [];
};

/** The name under which the record really holds the field: `undefined` when it does not. */
export const spelling = (record: WireRecord, name: string): string | undefined => {
	if (Object.hasOwn(record, name)) return name;
	const snake = snakeOf(name);
	return Object.hasOwn(record, snake) ? snake : undefined;
};

const fold = (name: string): string => name.toUpperCase().toLowerCase().replaceAll("_", "");

const knownFolds = remembering(fold);

/** A name as the most careless reader compares it. Names that no API has are not kept. */
const folded = (name: string): string => (name.length > 64 ? fold(name) : knownFolds(name));

/** True when the record holds the field in several spellings, or in one of its own: two readers could take it for two things. */
export const isAmbiguous = (record: WireRecord, name: string): boolean => {
	const wanted = folded(name);
	let found = 0;
	for (const key in record) {
		if (key !== name && folded(key) !== wanted) continue;
		found++;
		if (found > 1 || (key !== name && key !== snakeOf(name))) return true;
	}
	return false;
};

/** Tells records that hold one of these fields in a spelling of its own, or in both that there are: others may read what nobody here did. */
export const spelledOtherwise = (...names: readonly string[]): ((record: WireRecord) => boolean) => {
	const usual = new Set(names);
	const others = new Map(names.map((name) => [snakeOf(name), name]));
	const folds = new Set(names.map(fold));
	return (record) => {
		for (const key in record) {
			if (usual.has(key)) continue;
			const name = others.get(key);
			if (name === undefined ? folds.has(folded(key)) : Object.hasOwn(record, name)) return true;
		}
		return false;
	};
};

/** The fields whose names are not among `known`, in camelCase; undefined when there are none. */
export const otherFields = (record: WireRecord, known: ReadonlySet<string>): WireRecord | undefined => {
	let others: Record<string, unknown> | undefined;
	for (const [name, value] of Object.entries(record)) {
		const camel = camelOf(name);
		if (value === null || known.has(camel) || camel === "__proto__") continue;
		others ??= {};
		others[camel] = value;
	}
	return others;
};
