/** Changes to JSON that keep it JSON, changes to streams that keep them streams, and changes to bytes that keep nothing. */
import { isRecord } from "#core";
import type { Chance } from "./random.ts";

const deep = (levels: number): unknown => {
	let value: unknown = "bottom";
	for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
	return value;
};

/** JSON that is no value a program has: put in as text once everything else is written. */
const rawMark = "raw:";
const raws: readonly [string, ...string[]] = [
	"1e400",
	"-1e400",
	"123456789012345678901234567890",
	"0.1000000000000000055511151231257827",
	'"\\ud800"',
	'"\\udc00\\ud800"',
	'"\\u0000"',
	'{"__proto__":{"polluted":true}}',
	'{"a":1,"a":2}',
];

const strange: readonly [unknown, ...unknown[]] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	2 ** 53,
	1e308,
	"",
	" ",
	"x",
	"data: x\n\nevent: message_stop\n\n",
	"\u0085\u2028",
	"__proto__",
	"constructor",
	"a".repeat(5_000),
	"😀".repeat(200),
	[],
	{},
	[[]],
	[null],
	deep(20),
	deep(70),
	{ type: "text" },
	{ type: "nothing" },
	{ $ref: "#" },
	Array.from({ length: 300 }, () => ({ type: "text", text: "x" })),
];

const strangeValue = (chance: Chance): unknown =>
	chance.happens(0.2) ? `${rawMark}${chance.pick(raws)}` : chance.pick(strange);

/** The same said in another type. */
const retyped = (value: unknown, chance: Chance): unknown => {
	if (typeof value === "string") return chance.pick<unknown>([[value], { text: value }, Number(value), value.length]);
	if (typeof value === "number")
		return chance.pick<unknown>([String(value), -value, value * 1e12, value + 0.5, [value]]);
	if (typeof value === "boolean") return chance.pick<unknown>([String(value), Number(value), null]);
	if (Array.isArray(value)) return chance.pick<unknown>([value[0], Object.fromEntries(value.entries()), String(value)]);
	return isRecord(value) ? chance.pick<unknown>([Object.values(value), [value], Object.keys(value).join()]) : [value];
};

const mutateList = (list: readonly unknown[], chance: Chance, within: number): unknown => {
	const at = placeIn(list, chance);
	const other = chance.below(list.length);
	const kind = chance.below(14);
	if (list.length === 0 || kind === 0) return [...list, strangeValue(chance)];
	if (kind === 1) return list.toSpliced(at, 1);
	if (kind === 2) return [...list, list[at]];
	if (kind === 3) return list.with(at, list[other]).with(other, list[at]);
	if (kind === 4) return list.toReversed();
	return list.with(at, mutate(list[at], chance, within));
};

const mutateRecord = (record: Readonly<Record<string, unknown>>, chance: Chance, within: number): unknown => {
	const entries = Object.entries(record);
	const at = placeIn(Object.values(record), chance);
	const [name = "", value] = entries[at] ?? [];
	const kind = chance.below(18);
	if (entries.length === 0 || kind === 0)
		return { ...record, [chance.pick(["type", "role", "content", "id", "index", "x"])]: strangeValue(chance) };
	if (kind === 1) return Object.fromEntries(entries.toSpliced(at, 1));
	if (kind === 2) return { ...record, [chance.some(entries)?.[0] ?? name]: value };
	if (kind === 3) return Object.fromEntries(entries.toReversed());
	if (kind === 4) return Object.fromEntries(entries.with(at, [`${name}_`, value]));
	return Object.fromEntries(entries.with(at, [name, mutate(value, chance, within)]));
};

/** Where there is most to change: of a few places, the first with something inside. */
const placeIn = (values: readonly unknown[], chance: Chance): number => {
	const places = Array.from({ length: 3 }, () => chance.below(values.length));
	return places.find((at) => typeof values[at] === "object" && values[at] !== null) ?? places[0] ?? 0;
};

/** The value with one part of it replaced, removed, doubled, retyped, or put where another was; itself rarely. */
export const mutate = (value: unknown, chance: Chance, within = 0): unknown => {
	const whole = within === 0 ? 0.005 : 0.04;
	if (chance.happens(whole)) return strangeValue(chance);
	if (chance.happens(whole)) return retyped(value, chance);
	if (Array.isArray(value)) return mutateList(value, chance, within + 1);
	if (isRecord(value)) return mutateRecord(value, chance, within + 1);
	return chance.happens(0.5) ? strangeValue(chance) : retyped(value, chance);
};

/** As text, with what no program could write. */
const writeJson = (value: unknown): string =>
	(JSON.stringify(value) ?? "null").replace(/"raw:((?:[^"\\]|\\.)*)"/g, (_, inner: string) =>
		String(JSON.parse(`"${inner}"`)),
	);

/** JSON text with so many changes; `fields` are set after them. */
export const mutateText = (text: string, times: number, chance: Chance, fields: object = {}): string => {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return `${text}${text}`;
	}
	for (let time = 0; time < times; time++) value = mutate(value, chance);
	return writeJson(isRecord(value) ? { ...value, ...fields } : value);
};

const mutateEvent = (event: string, chance: Chance): string =>
	event.replace(/^data: ?(.*)$/m, (_, data: string) => `data: ${mutateText(data, 1 + chance.below(2), chance)}`);

const changeEvents = (events: readonly string[], chance: Chance): readonly string[] => {
	const at = chance.below(events.length);
	const event = events[at] ?? "";
	switch (chance.below(10)) {
		case 0:
			return events.toSpliced(at, 1);
		case 1:
			return events.toSpliced(at, 0, event);
		case 2:
			return [...events.toSpliced(at, 1), event];
		case 3:
			return events.slice(0, at);
		case 4:
			return [...events, ...events.slice(at)];
		case 5:
			return events.toSpliced(at, 0, ": ping", "event: nothing", "data:");
		default:
			return events.with(at, mutateEvent(event, chance));
	}
};

/** A stream of events with some dropped, doubled, put elsewhere or changed within, or cut short. */
export const mutateEvents = (text: string, chance: Chance): string => {
	let events: readonly string[] = text.split(/\r?\n\r?\n/).filter((event) => event.trim() !== "");
	for (let times = 1 + chance.below(3); times > 0 && events.length > 0; times--) events = changeEvents(events, chance);
	return events.map((event) => `${event}\n\n`).join("");
};

/** Bytes with some of them changed, taken out, doubled or cut off. */
export const damage = (bytes: Uint8Array, chance: Chance): Uint8Array => {
	let out = Buffer.from(bytes);
	for (let times = 1 + chance.below(4); times > 0; times--) {
		const at = chance.below(out.length);
		const length = chance.below(20);
		const kind = chance.below(10);
		if (kind < 4 && out.length > 0) out[at] = chance.below(256);
		else if (kind < 6) out = Buffer.concat([out.subarray(0, at), out.subarray(at + length)]);
		else if (kind < 8) out = Buffer.concat([out.subarray(0, at), out.subarray(at, at + length), out.subarray(at)]);
		else if (kind < 9) out = Buffer.concat([out.subarray(0, at), Buffer.from([0xed, 0xa0, 0x80]), out.subarray(at)]);
		else out = out.subarray(0, at);
	}
	return out;
};
