/** Counts a neutral stream on its way, for accounting. */
import type { Denial } from "../../contract/fault.ts";
import type { Observation, Progress } from "../../contract/passthrough.ts";
import type { Block } from "../../neutral/content.ts";
import { textBytes } from "../../neutral/json.ts";
import { failureOf } from "../../neutral/normalize-events.ts";
import { type Finish, type NeutralEvent, tellsNoOutput, type Usage } from "../../neutral/response.ts";

/** The finishes of a whole answer. */
const ordinary: ReadonlySet<Finish["reason"]> = new Set(["stop", "stop_sequence", "tool_calls"]);

/** What was seen of an answer, as it is written down. */
type Seen = { -readonly [K in keyof Observation]: Observation[K] };

/** As the client's protocol says. */
type TellsFailure = (finish: Finish) => boolean;

export class StreamCounter implements Progress {
	pieces = 0;
	contentBytes = 0;
	finished = false;
	error: Denial | undefined;
	private usage: Usage | undefined;
	/** False when something was generated after it was told. */
	private isTotal: boolean | undefined;
	private tools: Record<string, number> | undefined;
	private results: Observation["results"];
	private resultBytes = 0;
	private tier: string | undefined;
	private stopped: string | undefined;
	private unbilled = false;
	/** What the client knows no other word for than an error: how each candidate ended. */
	private failure: Denial | undefined;
	private answered = false;
	private readonly tellsFailure: TellsFailure | undefined;

	constructor(tellsFailure?: TellsFailure) {
		this.tellsFailure = tellsFailure;
	}

	get hasUsage(): boolean {
		return this.usage !== undefined;
	}

	add(event: NeutralEvent): void {
		switch (event.type) {
			case "open":
				this.opens(event.shell);
				break;
			case "delta":
				this.count(event.delta);
				break;
			case "start":
			case "usage":
				this.tier = event.tier ?? this.tier;
				if (!event.usage) break;
				this.usage = event.usage;
				this.isTotal = event.type === "start" ? false : undefined;
				break;
			case "finish":
				this.unbilled = event.finish.unbilled === true;
				if (ordinary.has(event.finish.reason)) this.answered = true;
				else this.stops(event.finish);
				break;
			case "error":
				this.error = event.error;
				break;
			case "end":
				this.finished = event.clean;
				if (event.clean && !this.answered) this.endUnanswered();
		}
	}

	private opens(shell: Block): void {
		if (shell.type === "server_call") this.ran(shell.tool);
		else if (shell.type === "server_result") this.read(JSON.stringify(shell).length);
		else if ("media" in shell && shell.media.by === "bytes") this.made(shell.media.base64);
	}

	private endUnanswered(): void {
		if (!this.failure) return;
		this.finished = false;
		this.error = this.failure;
		// What is told with such an end is all that there is.
		this.isTotal ??= true;
	}

	private stops(finish: Finish): void {
		this.stopped = finish.raw ?? finish.reason;
		const failure = this.tellsFailure?.(finish) ? undefined : failureOf(finish);
		if (failure) this.failure ??= failure;
		else this.answered = true;
	}

	/** Code is billed by the container, or not at all: whoever bills it tells so. */
	private ran(tool: string): void {
		if (tool === "code_execution") return;
		this.tools ??= {};
		this.tools[tool] = (this.tools[tool] ?? 0) + 1;
	}

	private read(bytes: number): void {
		this.resultBytes += bytes;
		const { times, bytes: before } = this.results ?? { times: 0, bytes: 0 };
		this.results = { times: times + 1, bytes: before + this.resultBytes };
	}

	private count(delta: Extract<NeutralEvent, { type: "delta" }>["delta"]): void {
		if ("text" in delta && delta.text !== "") this.generated(textBytes(delta.text));
		else if (delta.type === "media") this.made(delta.base64);
	}

	/** A picture or a sound, or a piece of one: it is counted by its bytes, as where it passes through. */
	private made(base64: string): void {
		if (base64 !== "") this.generated(base64.length);
	}

	/** Usage that was told before it does not hold it: some tell theirs early, or with every chunk but the last. */
	private generated(bytes: number): void {
		this.pieces++;
		this.contentBytes += bytes;
		if (this.usage) this.isTotal = false;
	}

	result(): Observation {
		const { pieces, contentBytes, finished, usage } = this;
		const seen: Seen = { pieces, contentBytes, finished };
		if (this.tools) seen.serverTools = this.tools;
		if (this.results) seen.results = this.results;
		if (usage) seen.usage = usage;
		if (usage && this.isTotal !== undefined) seen.usageIsTotal = this.isTotal;
		if (this.unbilled && pieces === 0 && tellsNoOutput(usage)) seen.unbilled = true;
		if (this.tier !== undefined) seen.tier = this.tier;
		if (this.error) seen.error = this.error;
		if (this.stopped !== undefined) seen.stopped = this.stopped;
		return seen;
	}
}
