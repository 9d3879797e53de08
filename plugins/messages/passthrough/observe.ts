/** Reads answers that pass through as bytes, for accounting. An event's JSON is parsed only when it can matter. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type Denial,
	definedOnly,
	isRecord,
	jsonStringBytes,
	type ModelAsk,
	type Observation,
	type Progress,
	parseJson,
	type StreamEvent,
	type StreamObserver,
	tellsNoOutput,
	type Usage,
	type WireRecord,
} from "#core";
import { frame } from "../block-events.ts";
import { isUnbilled } from "../finish.ts";
import { decodeToldError } from "../upstream/upstream-error.ts";
import { decodeTier, decodeUsage, encodeUsage, mergeUsage } from "../usage.ts";

/** Growth that the model generated, `content` being that of a summary; signatures and citations are not. */
const generated = /"(?:text|partial_json|thinking|content)"\s*:\s*"/g;

const deltaBytes = (data: string): number => {
	generated.lastIndex = 0;
	return generated.test(data) ? jsonStringBytes(data, generated.lastIndex) : 0;
};

/** The one tool of the provider's own that is billed by the call. */
const search = /"type"\s*:\s*"server_tool_use"[^{]*"name"\s*:\s*"web_search"/;

/** What a tool of the provider's own gave: the model reads it, and all before it again. */
const result = /"type"\s*:\s*"\w+_tool_result"/;

const indexIn = (data: string): number => Number(/"index"\s*:\s*(\d+)/.exec(data)?.[1] ?? 0);

/** The name of the event: this protocol's streams give it twice. */
const nameOf = ({ name, data }: StreamEvent): string => name ?? /"type"\s*:\s*"([a-z_]+)"/.exec(data)?.[1] ?? "";

const ordinary = new Set(["end_turn", "tool_use", "stop_sequence"]);

/** The reason why it ended, where that is not the answer's own end. */
const stopOf = (reason: unknown): string | undefined =>
	typeof reason === "string" && !ordinary.has(reason) ? reason : undefined;

class Observer implements StreamObserver {
	private readonly model: string;
	private usage: WireRecord | undefined;
	/** The start tells the input and a token or so; the end tells the sum. */
	private summed = false;
	private error: Denial | undefined;
	private started = false;
	private over = false;
	private unbilled = false;
	private stopped: string | undefined;
	private open: number | undefined;
	private pieces = 0;
	private searches = 0;
	private results: Observation["results"];
	private resultBytes = 0;
	private bytes = 0;

	constructor(model: string) {
		this.model = model;
	}

	event(event: StreamEvent): void {
		const { data } = event;
		switch (nameOf(event)) {
			case "content_block_delta": {
				const bytes = deltaBytes(data);
				if (bytes > 0) this.pieces++;
				this.bytes += bytes;
				return;
			}
			case "content_block_start":
				this.open = indexIn(data);
				if (search.test(data)) this.searches++;
				else if (result.test(data)) this.read(JSON.stringify(asRecord(parseJson(data))).length);
				return;
			case "content_block_stop":
				this.open = undefined;
				return;
			case "message_start":
				this.started = true;
				this.count(asRecord(asRecord(parseJson(data))["message"])["usage"]);
				return;
			case "message_delta": {
				const { usage, delta } = asRecord(parseJson(data));
				this.sum(usage);
				this.unbilled = isUnbilled(asRecord(delta));
				this.stopped = stopOf(asRecord(delta)["stop_reason"]);
				return;
			}
			case "message_stop":
				this.over = true;
				return;
			case "error":
				this.error ??= decodeToldError(parseJson(data));
		}
	}

	private read(bytes: number): void {
		this.resultBytes += bytes;
		const { times, bytes: before } = this.results ?? { times: 0, bytes: 0 };
		this.results = { times: times + 1, bytes: before + this.resultBytes };
	}

	private count(usage: unknown): void {
		if (isRecord(usage)) this.usage = mergeUsage(this.usage ?? {}, usage);
	}

	private sum(usage: unknown): void {
		this.count(usage);
		this.summed = asCount(asRecord(usage)["output_tokens"]) !== undefined;
	}

	progress(): Progress {
		return { finished: this.over && this.error === undefined, pieces: this.pieces, contentBytes: this.bytes };
	}

	result(): Observation {
		const { error, pieces, summed, searches, stopped } = this;
		const usage = decodeUsage(this.usage);
		const progress = this.progress();
		const { finished } = progress;
		return {
			...progress,
			...definedOnly({ usage, error, stopped, tier: decodeTier(this.usage) }),
			...(this.unbilled && pieces === 0 && tellsNoOutput(usage) && { unbilled: true }),
			...(this.results && { results: this.results }),
			...(searches > 0 && { serverTools: { web_search: searches } }),
			...(usage && summed !== finished && { usageIsTotal: summed }),
		};
	}

	/** The output that has come is at least one token for each piece. */
	private usageSoFar(): Usage {
		const seen = decodeUsage(this.usage) ?? { input: { total: 0 }, output: { total: 0 } };
		return { ...seen, output: { total: Math.max(seen.output.total, this.pieces) } };
	}

	cut(): string {
		if (this.over) return "";
		const usage = encodeUsage(this.usageSoFar());
		const empty = { id: "msg_cut", type: "message", role: "assistant", model: this.model, content: [] };
		const message = { ...empty, stop_reason: null, stop_sequence: null, usage };
		const delta = { stop_reason: "max_tokens", stop_sequence: null };
		return [
			this.started ? "" : frame("message_start", { message }),
			this.open === undefined ? "" : frame("content_block_stop", { index: this.open }),
			frame("message_delta", { delta, usage }),
			frame("message_stop", {}),
		].join("");
	}
}

/** Watches a passing stream. */
export const observer = (ask: ModelAsk): StreamObserver => new Observer(ask.call.name);

const bytesOf = (block: WireRecord): number => {
	const said = asText(block["text"]) ?? asText(block["thinking"]);
	if (said !== undefined) return Buffer.byteLength(said);
	return isRecord(block["input"]) ? Buffer.byteLength(JSON.stringify(block["input"])) : 0;
};

/** What a whole answer says: a message, or a count of tokens, which has no usage. */
export const observe = (body: unknown): Observation => {
	const root = asRecord(body);
	const error = root["type"] === "error" || isRecord(root["error"]) ? decodeToldError(root) : undefined;
	const sizes = asList(root["content"]).map((block) => bytesOf(asRecord(block)));
	const usage = decodeUsage(root["usage"]);
	const unbilled = isUnbilled(root) && sizes.length === 0 && tellsNoOutput(usage);
	return {
		finished: error === undefined && (root["type"] === "message" || asCount(root["input_tokens"]) !== undefined),
		pieces: sizes.filter((bytes) => bytes > 0).length,
		contentBytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
		...(unbilled && { unbilled }),
		...definedOnly({ usage, error, stopped: stopOf(root["stop_reason"]), tier: decodeTier(root["usage"]) }),
	};
};
