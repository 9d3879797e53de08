/** Reads streams that pass through as bytes, for accounting and for keeping. Few events are parsed. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	isRecord,
	jsonStringBytes,
	type ModelAsk,
	type Observation,
	openAiFailureWithin,
	orderedId,
	type Progress,
	parseJson,
	type StreamEvent,
	type StreamObserver,
	type Usage,
	type WireRecord,
} from "#core";
import { answerError } from "../client/errors.ts";
import type { Ending } from "../finish.ts";
import { echoOf, openResponse } from "../response-object.ts";
import { decodeUsage, encodeUsage, hostedTool } from "../usage.ts";
import { stopOf, tally } from "./observe-whole.ts";
import { partialItems } from "./partial-answer.ts";

const deltaBytes = (data: string): number => {
	const at = data.indexOf('"delta":');
	if (at === -1) return 0;
	const start = data.indexOf('"', at + 8);
	return start === -1 ? 0 : jsonStringBytes(data, start + 1);
};

const callPattern = /"type"\s*:\s*"(\w+_call(?:_output)?)"/;
const typePattern = /"type"\s*:\s*"(response\.[\w.]+|error)"/;

/** An end that tells all of what grew, for those who let nothing grow. */
const wholeText = /^response\.(?:\w+_text|refusal|function_call_arguments|custom_tool_call_input)\.done$/;

const wholeBytes = (data: string): number => {
	const at = /"(?:text|refusal|arguments|input)"\s*:\s*"/.exec(data);
	return at ? jsonStringBytes(data, at.index + at[0].length) : 0;
};

const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

class Observer implements StreamObserver {
	private readonly ask: ModelAsk;
	private readonly keeps: boolean;
	private usage: Usage | undefined;
	private tier: string | undefined;
	private error: Denial | undefined;
	private answer: WireRecord | undefined;
	private finished = false;
	private stopped: string | undefined;
	private pieces = 0;
	private bytes = 0;
	/** Something came in pieces. */
	private grew = false;
	private events = 0;
	/** Calls of the upstream's own tools that have begun. */
	private tools: Record<string, number> | undefined;
	private last = "";
	/** Data of the event that told of the response first. */
	private created: string | undefined;
	/** Data of the events that ended an item. */
	private readonly done: string[] = [];
	/** Data of the events since all items were done, and how many items are not. */
	private unfinished: string[] = [];
	private open = 0;

	constructor(ask: ModelAsk, keeps: boolean) {
		this.ask = ask;
		this.keeps = keeps;
	}

	event({ name, data }: StreamEvent): void {
		if (data === "" || data === "[DONE]") return;
		this.events++;
		this.last = data;
		const type = name ?? typePattern.exec(data)?.[1] ?? "";
		if (type.endsWith(".delta")) this.grow(data);
		else if (type === "response.output_item.added") this.opened(data);
		else if (type === "response.output_item.done") this.closed(data);
		else if (type === "response.content_part.added") this.unfinished.push(data);
		else if (type === "response.created") this.created ??= data;
		else if (!this.grew && wholeText.test(type)) this.count(wholeBytes(data));
		else if (terminal.has(type)) this.ended(asRecord(parseJson(data)));
		else if (type === "error" || (type === "" && data.includes('"error"')))
			this.error ??= openAiFailureWithin(parseJson(data));
	}

	private grow(data: string): void {
		const bytes = deltaBytes(data);
		if (bytes === 0) return;
		this.grew = true;
		this.count(bytes);
		if (this.open > 0) this.unfinished.push(data);
	}

	private count(bytes: number): void {
		if (bytes === 0) return;
		this.pieces++;
		this.bytes += bytes;
	}

	private opened(data: string): void {
		this.open++;
		const tool = hostedTool(callPattern.exec(data)?.[1] ?? "");
		if (tool !== undefined) this.tools = { ...this.tools, [tool]: (this.tools?.[tool] ?? 0) + 1 };
		this.unfinished.push(data);
	}

	private closed(data: string): void {
		this.done.push(data);
		this.open = Math.max(0, this.open - 1);
		if (this.open === 0) this.unfinished = [];
		else this.unfinished.push(data);
	}

	private ended(event: WireRecord): void {
		const response = asRecord(event["response"]);
		const output = asList(response["output"]).length > 0 ? response["output"] : this.doneItems();
		this.usage = decodeUsage(response["usage"], output, response["tool_usage"]) ?? this.usage;
		this.tier = asText(response["service_tier"]);
		// What came in pieces need not be all that was written, and nobody else has counted it.
		if (!this.usage) this.bytes = Math.max(this.bytes, tally(output).contentBytes);
		if (event["type"] === "response.failed") this.error ??= openAiFailureWithin(response);
		else {
			this.finished = true;
			this.stopped = stopOf(response);
			if (this.keeps) this.answer = { ...response, output };
		}
	}

	private doneItems(): readonly unknown[] {
		return this.done.map((data) => asRecord(parseJson(data))["item"]);
	}

	progress(): Progress {
		return { finished: this.finished && this.error === undefined, pieces: this.pieces, contentBytes: this.bytes };
	}

	result(): Observation {
		const { usage, error, answer, tools, stopped, tier } = this;
		return {
			...this.progress(),
			...(tools !== undefined && { serverTools: tools }),
			// It is told at the end only, also of an answer that failed.
			...(usage !== undefined && { usage, ...(error !== undefined && { usageIsTotal: true }) }),
			...(error !== undefined && { error }),
			...(stopped !== undefined && { stopped }),
			...(tier !== undefined && { tier }),
			...(answer !== undefined && { answer }),
		};
	}

	cut(): string {
		const ending: Ending = {
			status: "incomplete",
			incomplete_details: { reason: "max_output_tokens" },
			error: null,
		};
		return this.stop(ending, true);
	}

	fail(denial: Denial): string {
		return this.stop({ status: "failed", incomplete_details: null, error: answerError(denial) }, false);
	}

	/** Ends the stream with what was told of it. `endItems`: the items in the middle of which it stops are ended too. */
	private stop(ending: Ending, endItems: boolean): string {
		let sequence = this.nextSequence();
		const write = (type: string, members: WireRecord): string =>
			`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members })}\n\n`;
		const { response, begin } = this.begun();
		let text = begin ? write("response.created", { response }) : "";
		const partial = partialItems(this.unfinished);
		if (endItems)
			for (const { index, item } of partial) text += write("response.output_item.done", { output_index: index, item });
		const output = [...this.doneItems(), ...partial.map(({ item }) => item)];
		const usage = encodeUsage(this.usage ?? { input: { total: 0 }, output: { total: this.pieces } });
		const answer = { ...response, ...ending, output, usage };
		if (endItems && this.keeps) this.answer = answer;
		return text + write(`response.${ending.status}`, { response: answer });
	}

	private nextSequence(): number {
		const told = /"sequence_number"\s*:\s*(\d+)/.exec(this.last)?.[1];
		return told === undefined ? this.events : Number(told) + 1;
	}

	/** The response as it was told, or one made for a stream that had told nothing. */
	private begun(): { readonly response: WireRecord; readonly begin: boolean } {
		const told = asRecord(parseJson(this.created ?? ""))["response"];
		const put = this.ask.continues === undefined ? {} : { previous_response_id: this.ask.continues.id };
		if (isRecord(told)) return { response: { ...told, ...put, model: this.modelOf(told) }, begin: false };
		const { call, body } = this.ask;
		const echo = echoOf({ raw: { ...body.value, ...put }, model: call.name }, this.keeps);
		const id = `resp_${orderedId()}`;
		const createdAt = Math.floor(Date.now() / 1000);
		return {
			response: openResponse(echo, { id, createdAt, output: [], tier: undefined, usage: undefined }),
			begin: true,
		};
	}

	/** Dated names of the asked model stay; any other is behind an alias. */
	private modelOf({ model }: WireRecord): unknown {
		const { name } = this.ask.call;
		return typeof model === "string" && model.startsWith(name) ? model : name;
	}
}

/** Watches a passing stream. `keeps`: the whole answer is wanted in the end. */
export const observer = (ask: ModelAsk, keeps: boolean): StreamObserver => new Observer(ask, keeps);
