/** Reads answers that pass through as bytes, for accounting. An event's JSON is parsed only when it can matter. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	EventTemplate,
	eventMembers,
	isRecord,
	jsonStringBytes,
	type ModelAsk,
	type Observation,
	type Progress,
	parseJson,
	type StreamEvent,
	type StreamObserver,
	textBytes,
	type Usage,
} from "#core";
import { failureWithin } from "../failure-within.ts";
import { padding } from "../stream-scope.ts";
import { citesWeb, decodeUsage, usageIn } from "../usage.ts";
import { reasonsAndCalls, ToldReasoning } from "./told-reasoning.ts";

const generatedNames = ["content", "reasoning_content", "reasoning", "refusal", "arguments", "input", "transcript"];
/** The start of a non-empty string that the model generated. */
const generated = new RegExp(`"(?:${generatedNames.join("|")})"\\s*:\\s*"(?!")`, "g");
/** The same in the dialects whose content is a list of parts. */
const generatedPart = /"(?:text|data)"\s*:\s*"(?!")/g;

const bytesOf = (data: string, from: number, pattern: RegExp): number => {
	let bytes = 0;
	pattern.lastIndex = from;
	while (pattern.test(data)) bytes += jsonStringBytes(data, pattern.lastIndex);
	pattern.lastIndex = 0;
	return bytes;
};

/** Pictures, as OpenRouter tells them: whole, by an address that holds them. */
const generatedPicture = /"url"\s*:\s*"(?=data:)/g;

const otherBytes = (data: string, from: number): number =>
	bytesOf(data, from, generated) ||
	bytesOf(data, from, generatedPart) ||
	(data.includes('"images"') ? bytesOf(data, from, generatedPicture) : 0);

const contentMember = '"content":"';

/** `several`: an event may hold pieces of more answers than one. */
const contentBytes = (data: string, several: boolean): number => {
	const from = data.indexOf('"delta"');
	if (from === -1) return 0;
	if (several) return otherBytes(data, from);
	// Nearly every chunk holds a piece of text and nothing else: searching for that alone costs a tenth.
	const at = data.indexOf(contentMember, from);
	if (at !== -1) {
		const bytes = jsonStringBytes(data, at + contentMember.length);
		if (bytes > 0) return bytes;
	}
	return otherBytes(data, from);
};

/** True when the event may hold usage, a finish or an error; text that speaks of them has its quotes escaped. */
const mayMatter = (data: string): boolean =>
	(data.includes('"usage"') && !data.includes('"usage":null')) ||
	data.includes('"finish_reason":"') ||
	data.includes('"finish_reason": "') ||
	data.includes('"error"') ||
	data.includes('"base_resp"');

const ordinary = new Set(["stop", "tool_calls", "function_call", "eos", ""]);

/** The reason why it ended, where that is not the answer's own end. */
const stopOf = (reason: unknown): string | undefined =>
	typeof reason === "string" && !ordinary.has(reason) ? reason : undefined;

/** What was seen of an answer, as it is written down. */
type Seen = { -readonly [K in keyof Observation]: Observation[K] };

/** Events that say something the model generated, and nothing else. */
const generatedOnly = eventMembers(generatedNames, padding);

class Observer implements StreamObserver {
	private readonly ask: ModelAsk;
	private readonly template = new EventTemplate(generatedOnly);
	private told: unknown;
	/** The same, decoded; undefined where that has to be done again. */
	private usage: Usage | undefined;
	/** It cites what was found on the web. */
	private cites = false;
	/** How many pieces there were when usage was told: some tell it with every chunk, and not with the last. */
	private toldAt = 0;
	private tier: string | undefined;
	private error: Denial | undefined;
	private done = false;
	private readonly ended = new Set<number>();
	private stopped: string | undefined;
	/** How far the stream has come: it is asked after every chunk. */
	private readonly far = { finished: false, pieces: 0, contentBytes: 0 };
	private first: string | undefined;
	/** What may come back without the calls it stood before; absent where no tool may be called. */
	private readonly reasoning: ToldReasoning | undefined;
	private reasons: boolean;

	constructor(ask: ModelAsk) {
		this.ask = ask;
		const mayCall = asList(ask.body.value["tools"]).length > 0 && ask.call.candidates === 1;
		this.reasoning = mayCall ? new ToldReasoning() : undefined;
		this.reasons = mayCall;
	}

	event({ data }: StreamEvent): void {
		if (this.reasons) this.reasons = this.reasoning?.read(data) === true;
		if (this.template.repeats(data)) {
			this.count(this.template.bytes);
			return;
		}
		if (data === "[DONE]" || data.trim() === "[DONE]") {
			this.done = true;
			return;
		}
		this.first ??= data;
		const bytes = contentBytes(data, this.ask.call.candidates > 1);
		this.count(bytes);
		if (!this.cites && data.includes('"url_citation"')) {
			this.cites = true;
			this.usage = undefined;
		}
		if (mayMatter(data)) this.parse(data);
		else if (bytes > 0) this.template.learn(data);
	}

	private count(bytes: number): void {
		if (bytes === 0) return;
		this.far.pieces++;
		this.far.contentBytes += bytes;
	}

	private parse(data: string): void {
		const chunk = asRecord(parseJson(data));
		const usage = usageIn(chunk);
		const decoded = decodeUsage(usage, this.cites);
		if (decoded) {
			this.told = usage;
			this.usage = decoded;
			this.toldAt = this.far.pieces;
		}
		this.tier = asText(chunk["service_tier"]) ?? this.tier;
		this.error ??= failureWithin(chunk);
		for (const choice of asList(chunk["choices"])) {
			const { finish_reason: reason, index } = asRecord(choice);
			if (typeof reason !== "string") continue;
			this.ended.add(typeof index === "number" ? index : 0);
			this.stopped ??= stopOf(reason);
		}
	}

	progress(): Progress {
		this.far.finished = this.error === undefined && (this.done || this.ended.size >= this.ask.call.candidates);
		return this.far;
	}

	result(): Observation {
		const { error, cites, stopped, tier } = this;
		this.usage ??= decodeUsage(this.told, cites);
		const { usage } = this;
		const seen: Seen = { ...this.progress() };
		if (usage !== undefined) seen.usage = usage;
		if (cites) seen.serverTools = { web_search: 1 };
		if (usage && this.toldAt < this.far.pieces) seen.usageIsTotal = false;
		if (stopped !== undefined) seen.stopped = stopped;
		if (tier !== undefined) seen.tier = tier;
		if (error !== undefined) seen.error = error;
		if (seen.finished && this.reasoning) seen.answer = this.reasoning.answer;
		return seen;
	}

	cut(): string {
		const seen = asRecord(parseJson(this.first ?? ""));
		const { name, candidates } = this.ask.call;
		const choices: unknown[] = [];
		const delta = this.first === undefined ? { role: "assistant", content: "" } : {};
		for (let index = 0; index < candidates; index++)
			if (!this.ended.has(index)) choices.push({ index, delta, logprobs: null, finish_reason: "length" });
		if (choices.length === 0) return "data: [DONE]\n\n";
		const model = typeof seen["model"] === "string" && seen["model"].startsWith(name) ? seen["model"] : name;
		const chunk = {
			id: typeof seen["id"] === "string" ? seen["id"] : "chatcmpl-portico",
			object: "chat.completion.chunk",
			created: typeof seen["created"] === "number" ? seen["created"] : 0,
			model,
			choices,
		};
		return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
	}
}

/** Watches a passing stream. */
export const observer = (ask: ModelAsk): StreamObserver => new Observer(ask);

const generatedMembers = new Set(generatedNames);
const generatedPartMembers = new Set(["text", "data"]);

/** UTF-8 bytes of the strings in members of these names, however deep they are. */
const memberBytes = (value: unknown, names: ReadonlySet<string>): number => {
	let bytes = 0;
	if (Array.isArray(value)) for (const item of value) bytes += memberBytes(item, names);
	else if (isRecord(value))
		for (const name in value) {
			const member = value[name];
			if (typeof member !== "string") bytes += memberBytes(member, names);
			else if (names.has(name)) bytes += textBytes(member);
		}
	return bytes;
};

const messageBytes = (message: unknown): number =>
	memberBytes(message, generatedMembers) || memberBytes(message, generatedPartMembers);

/** What a whole answer says. */
export const observe = (body: unknown): Observation => {
	const root = asRecord(body);
	const { choices, error: told, service_tier: tier } = root;
	const error = told || asList(choices).length === 0 ? failureWithin(root) : undefined;
	let pieces = 0;
	let bytes = 0;
	let cites = false;
	let reasons = false;
	let stopped: string | undefined;
	for (const each of asList(choices)) {
		const choice = asRecord(each);
		const message = asRecord(choice["message"]);
		stopped ??= stopOf(choice["finish_reason"]);
		cites ||= citesWeb(message);
		reasons ||= Boolean(message["tool_calls"]) && reasonsAndCalls(message);
		const size = messageBytes(message);
		if (size > 0) pieces++;
		bytes += size;
	}
	const usage = decodeUsage(root["usage"], cites);
	const finished = error === undefined && Array.isArray(choices);
	const seen: Seen = { finished, pieces, contentBytes: bytes };
	if (usage !== undefined) seen.usage = usage;
	if (stopped !== undefined) seen.stopped = stopped;
	if (typeof tier === "string") seen.tier = tier;
	if (error !== undefined) seen.error = error;
	if (finished && reasons) seen.answer = root;
	return seen;
};
