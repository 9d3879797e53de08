/** A stream of an endpoint under guards: texts as they come, sound untouched, events once all of them are there. */
import type { StreamEvent } from "../../contract/upstream-side.ts";
import { isRecord, parseJson } from "../../neutral/json.ts";
import { eventText } from "../../wire/event-template.ts";
import type { StreamPass } from "../call/exchange.ts";
import type { GuardedWords } from "./guarded-words.ts";

type TextAt = (path: string, text: string) => string;

const mapPlaces = (value: unknown, path: string, change: TextAt): unknown => {
	if (typeof value === "string") return change(path, value);
	if (Array.isArray(value)) return value.map((one, index) => mapPlaces(one, `${path}[${index}]`, change));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, inner]) => [key, mapPlaces(inner, `${path}.${key}`, change)]),
	);
};

/**
 * Nobody knows here which fields of a dialect's events grow. One whose text is the same in each event does not; the
 * texts of any other belong together, and what is still held of them at the end goes out with the last.
 */
const inspectEvents = async (events: readonly StreamEvent[], words: GuardedWords): Promise<string> => {
	const values = events.map(({ data }) => parseJson(data));
	const places = new Map<string, { readonly event: number; readonly text: string }[]>();
	for (const [event, value] of values.entries())
		mapPlaces(value, "", (path, text) => {
			const texts = places.get(path) ?? [];
			texts.push({ event, text });
			places.set(path, texts);
			return text;
		});
	const said = new Map<string, string>();
	for (const [path, texts] of places) {
		const [first] = texts;
		const isConstant = texts.every(({ text }) => text === first?.text);
		const constant = isConstant && first !== undefined ? await words.whole(first.text) : undefined;
		const growing = words.grow("text");
		for (const [index, { event, text }] of texts.entries()) {
			const next = constant ?? (await growing.take(text, index === texts.length - 1));
			said.set(`${event} ${path}`, next);
		}
	}
	return events
		.map(({ name, data }, event) => {
			const value = values[event];
			const changed = mapPlaces(value, "", (path, text) => said.get(`${event} ${path}`) ?? text);
			return eventText(value === undefined ? data : JSON.stringify(changed), name);
		})
		.join("");
};

/** `pass`: the same stream without guards, which goes on counting. */
export const guardEvents = (pass: StreamPass, words: GuardedWords): StreamPass => {
	const kept: StreamEvent[] = [];
	return {
		...pass,
		push(events, chunk) {
			kept.push(...events);
			void pass.push(events, chunk);
			return undefined;
		},
		async end(events) {
			await pass.end(events);
			return await inspectEvents([...kept, ...events], words);
		},
	};
};

export const guardText = (pass: StreamPass, words: GuardedWords): StreamPass => {
	const utf8 = new TextDecoder();
	const growing = words.grow("text");
	return {
		...pass,
		async push(events, chunk) {
			void pass.push(events, chunk);
			return (await growing.take(utf8.decode(chunk, { stream: true }), false)) || undefined;
		},
		async end(events) {
			await pass.end(events);
			return await growing.take(utf8.decode(), true);
		},
	};
};
