/** Puts back what passthrough changed: the model's name under an alias, and usage that the client did not ask for. */
import {
	asRecord,
	EventTemplate,
	eventMembers,
	eventText,
	isRecord,
	type ModelAsk,
	type PassthroughChanges,
	parseJson,
	type StreamEditor,
	type StreamEvent,
} from "#core";
import { padding } from "../stream-scope.ts";
import { injectsUsage, refusesUsage } from "./request.ts";

/** Where a member `"model": "<name>"` stands, however it is spaced: its key, and its value up to the end, quotes included. */
interface ModelMember {
	readonly keyStart: number;
	readonly valueStart: number;
	readonly end: number;
}

const memberName = '"model"';
const isSpace = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9;

/** The first such member from there on; `value` is the name as JSON. */
const modelMember = (text: string, value: string, from = 0): ModelMember | undefined => {
	let keyStart = text.indexOf(memberName, from);
	while (keyStart !== -1) {
		let at = keyStart + memberName.length;
		while (isSpace(text.charCodeAt(at))) at++;
		const isKey = text.charAt(at) === ":";
		if (isKey) at++;
		while (isSpace(text.charCodeAt(at))) at++;
		if (isKey && text.startsWith(value, at)) return { keyStart, valueStart: at, end: at + value.length };
		keyStart = text.indexOf(memberName, at);
	}
	return undefined;
};

const renamed = (text: string, value: unknown, name: string): string => {
	if (!isRecord(value) || typeof value["model"] !== "string" || value["model"] === name) return text;
	const found = JSON.stringify(value["model"]);
	const member = modelMember(text, found);
	// The same member deeper down would make the splice ambiguous; then the text is written anew.
	if (!member || modelMember(text, found, member.end)) return JSON.stringify({ ...value, model: name });
	return text.slice(0, member.valueStart) + JSON.stringify(name) + text.slice(member.end);
};

/** A whole answer with the asked model's name put back; one that is not a JSON object stays as it is. */
export const restore = (text: string, { call }: ModelAsk, _changes: PassthroughChanges, body: unknown): string =>
	renamed(text, body, call.name);

const tightNullUsage = ',"usage":null';
const nullUsage = /,\s*"usage"\s*:\s*null(?=\s*[,}])|"usage"\s*:\s*null\s*,/;

/** Usage that Portico asked for, or all usage. */
type Strip = "injected" | "all";

/** The chunk without usage; undefined for one that was sent for nothing else. */
const stripped = (data: string, strip: Strip): string | undefined => {
	const at = data.indexOf(tightNullUsage);
	if (at !== -1) return data.slice(0, at) + data.slice(at + tightNullUsage.length);
	if (!data.includes('"usage"')) return data;
	const chunk = asRecord(parseJson(data));
	if (!isRecord(chunk["usage"])) return data.replace(nullUsage, "");
	if (Array.isArray(chunk["choices"]) && chunk["choices"].length === 0) return undefined;
	if (strip === "injected") return data;
	const { usage: _unwanted, ...rest } = chunk;
	return JSON.stringify(rest);
};

const words = eventMembers(["content", "reasoning_content"], padding);

class Editor implements StreamEditor {
	private readonly name: string;
	private readonly alias: boolean;
	private readonly strip: Strip | undefined;
	/** Chunks that differ from the one before in their text only, as they come and as they go. */
	private readonly template = new EventTemplate(words);
	private readonly written = new EventTemplate(words);
	/** The member as the upstream writes it, learnt from the first chunk, and what stands in its place. */
	private needle: string | undefined;
	private replacement = "";

	constructor(name: string, alias: boolean, strip: Strip | undefined) {
		this.name = name;
		this.alias = alias;
		this.strip = strip;
	}

	event({ name, data }: StreamEvent): string {
		if (name === undefined && this.template.repeats(data)) return this.template.reworded(data, this.written);
		const kept = this.strip ? stripped(data, this.strip) : data;
		if (kept === undefined) return "";
		const text = eventText(this.alias ? this.restored(kept) : kept, name);
		if (name === undefined) this.template.learnBoth(data, this.written, text);
		return text;
	}

	end(): string {
		return "";
	}

	private restored(data: string): string {
		if (this.needle !== undefined) {
			const at = data.indexOf(this.needle);
			if (at !== -1) return data.slice(0, at) + this.replacement + data.slice(at + this.needle.length);
		}
		if (!data.includes('"model"')) return data;
		const value = parseJson(data);
		this.learn(data, value);
		return renamed(data, value, this.name);
	}

	private learn(data: string, value: unknown): void {
		const model = asRecord(value)["model"];
		if (typeof model !== "string") return;
		const member = modelMember(data, JSON.stringify(model));
		if (!member) return;
		this.needle = data.slice(member.keyStart, member.end);
		this.replacement = data.slice(member.keyStart, member.valueStart) + JSON.stringify(this.name);
	}
}

/** Absent when the stream may pass as it is. */
export const editor = (ask: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined => {
	const alias = changes.model !== ask.call.name;
	const strip = refusesUsage(ask) ? "all" : injectsUsage(ask, changes) ? "injected" : undefined;
	return alias || strip ? new Editor(ask.call.name, alias, strip) : undefined;
};
