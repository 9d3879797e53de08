/** Which of a client's own fields go on to an upstream. */
import {
	Fault,
	foldedName,
	invalidParameter,
	isRecord,
	parseJson,
	parseShallow,
	steeringFinder,
	type WireRecord,
} from "#core";
import { countsThings, makesMore } from "./amounts.ts";
import { callbackNames } from "./callback-url.ts";
import type { TaskOrder } from "./service.ts";

/** Those that name an address to call back: upstreams never call Portico's clients. */
const callbacks: ReadonlySet<string> = new Set([...callbackNames, "webhook", "notify_url"].map(foldedName));

const lengths = ["seconds", "duration", "durationSeconds"];
const asked = ["model", "model_name", "mv", "prompt", "n", ...lengths, "sampleCount", "image", "images", "mask"];
const exact: ReadonlySet<string> = new Set(asked);

/**
 * Fields that choose another model, address or key, and other spellings of those that choose what is made and how much of
 * it: some upstreams read them and nobody here does, so that what is made of them would not be counted. The tags of a song say how
 * it sounds.
 */
const { steers } = steeringFinder([...asked, "tags"]);

/** OpenAI's drawings are written by a second model, which this names, at prices that nobody here counts; forms write `svg[model]`. */
const choosesAuthor = (name: string): boolean => /^svg(?:\[|$)/i.test(name);

/** Which model is asked is said by the order, in the field of each upstream's own. */
const models: ReadonlySet<string> = new Set(["model", "model_name", "mv"]);

const goesOn = (name: string): boolean =>
	!models.has(name) &&
	!steers(name) &&
	!choosesAuthor(name) &&
	!callbacks.has(foldedName(name)) &&
	!(makesMore(name) && !exact.has(name));

const overriding: ReadonlySet<string> = new Set(asked.map(foldedName));

/** How much is made, and by which model: counted where it stands beside the prompt, and nowhere else. */
const amounts: ReadonlySet<string> = new Set([...models, "n", ...lengths, "sampleCount"].map(foldedName));

const isAmount = (name: string): boolean => amounts.has(foldedName(name)) || makesMore(name);

/** Kling reads the model and the length of its effects there, and is told those that were counted. */
const isCount = (name: string): boolean => ["n", "samplecount"].includes(foldedName(name)) || countsThings(name);

/** Upstreams that are gateways put what is in `metadata` over what is beside it. */
const overrides = (name: string): boolean => !goesOn(name) || overriding.has(foldedName(name));

/** A record that is written as a text. What nests deeper than a body may is nobody's field, and could not be walked. */
const writtenIn = (text: string): unknown => {
	if (!/^\s*\{/.test(text)) return undefined;
	const written = parseShallow(text);
	if (written === undefined && parseJson(text) !== undefined)
		throw new Fault({
			kind: "invalid_request",
			message: "A field holds JSON as a text that nests deeper than 64; send it flatter.",
		});
	return written;
};

/**
 * A record, or one that is written as a text, without such fields of it and of all records in it: some services read their
 * own `parameters` there, in place of what is beside them. What stands in a list is one part of a whole that was counted.
 */
const without = (value: unknown, isUnwanted: (name: string) => boolean): unknown => {
	const isText = typeof value === "string";
	const fields = (isText ? writtenIn(value) : undefined) ?? value;
	if (!isRecord(fields)) return value;
	const entries = Object.entries(fields);
	const kept = entries
		.filter(([name]) => !isUnwanted(name))
		.map(([name, inner]) => [name, without(inner, isUnwanted)] as const);
	const isSame = kept.length === entries.length && kept.every(([name, inner]) => inner === fields[name]);
	if (isSame) return value;
	return isText ? JSON.stringify(Object.fromEntries(kept)) : Object.fromEntries(kept);
};

const unwantedIn = (name: string): ((name: string) => boolean) => {
	const folded = foldedName(name);
	if (folded === "metadata") return overrides;
	return folded === "input" ? isCount : isAmount;
};

/** Throws `Fault` where one of the fields is a file. */
export const refuseFiles = (fields: WireRecord): void => {
	const file = Object.entries(fields).find(([, value]) => [value].flat().some((one) => one instanceof Blob));
	if (!file) return;
	const parameter = file[0].slice(0, 64);
	throw invalidParameter(parameter, `"${parameter}" was sent as a file; here it is taken as an address or as base64.`);
};

/** The order's input without what no client may say. Throws `Fault` for a file that its kind has not made into text. */
export const inputOf = ({ input }: TaskOrder): WireRecord => {
	const kept = Object.fromEntries(Object.entries(input).filter(([name]) => goesOn(name)));
	refuseFiles(kept);
	return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, without(value, unwantedIn(name))]));
};
