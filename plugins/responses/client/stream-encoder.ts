/**
 * Neutral events as the stream of this protocol: each item announced, grown and ended, its parts likewise, and one
 * terminal event that holds the whole answer.
 */
import {
	type Denial,
	type Finish,
	type NeutralEvent,
	type NeutralRequest,
	orderedId,
	type StreamEncoder,
	type Usage,
	type WireRecord,
} from "#core";
import { encodeEnding } from "../finish.ts";
import { echoOf, endedResponse, openResponse, type ResponseState } from "../response-object.ts";
import { AnswerBlocks } from "./answer-blocks.ts";
import { type BlockEvent, CallsInTurn } from "./calls-in-turn.ts";
import { answerError, errorEvent } from "./errors.ts";
import { Output } from "./item-writers.ts";
import { Wire } from "./wire.ts";

/** An encoder that can also give the finished `response` object. */
export interface AnswerEncoder extends StreamEncoder {
	/** The answer, once it has ended. */
	answer(): WireRecord | undefined;
}

export interface AnswerOptions {
	/** Whether answers are kept: what `store` in the answer says. */
	readonly stores: boolean;
	/** False when only the answer is wanted and no events. */
	readonly live: boolean;
	/** Seconds since 1970. */
	now(): number;
}

const declined = "The model declined to answer.";

/** Ends by which all of an answer, or the rest of it, is kept from the client. */
const withheld: ReadonlySet<Finish["reason"]> = new Set(["refusal", "safety", "recitation"]);

class Encoder implements AnswerEncoder {
	private readonly options: AnswerOptions;
	private readonly wire: Wire;
	private readonly echo: WireRecord;
	private readonly blocks: AnswerBlocks;
	private readonly calls = new CallsInTurn((event) => this.tell(event));
	private readonly output: Output;
	private readonly suffix = orderedId();
	private id = "";
	private createdAt = 0;
	private tier: string | undefined;
	private usage: Usage | undefined;
	private finish: Finish | undefined;
	/** The prompt was refused, with these words where the upstream has some. */
	private blocked: { readonly message?: string } | undefined;
	private over = false;
	private ended: WireRecord | undefined;

	constructor(request: NeutralRequest, options: AnswerOptions) {
		this.options = options;
		this.wire = new Wire(options.live);
		this.echo = echoOf(request, options.stores);
		this.output = new Output(this.wire, this.suffix);
		this.blocks = new AnswerBlocks(this.output, request);
	}

	push(event: NeutralEvent): string {
		if (this.over) return "";
		if (event.type !== "delta" && event.type !== "open" && event.type !== "close") return this.note(event);
		this.calls.push(event);
		return this.wire.take();
	}

	private tell(event: BlockEvent): void {
		switch (event.type) {
			case "delta":
				this.blocks.delta(event.block, event.delta);
				return;
			case "open":
				this.blocks.open(event.block, event.candidate, event.shell);
				return;
			case "close":
				this.blocks.close(event.block, event.final);
		}
	}

	/** Events that concern no block. */
	private note(event: Exclude<NeutralEvent, { type: "open" | "delta" | "close" }>): string {
		switch (event.type) {
			case "start":
				this.begin(event);
				break;
			case "usage":
				this.usage = event.usage;
				this.tier = event.tier ?? this.tier;
				break;
			case "grounding":
				this.blocks.ground(event.grounding);
				break;
			case "finish":
				// Where there are several candidates, the first decides how the answer ended.
				this.finish ??= event.finish;
				break;
			case "blocked":
				this.blocked = event;
				break;
			case "error":
				this.calls.release();
				return this.fail(event.error);
			case "end":
				this.calls.release();
				if (event.clean) this.complete();
				else return this.fail({ kind: "upstream", message: "The answer broke off before it was complete." });
		}
		return this.wire.take();
	}

	private begin(event: Extract<NeutralEvent, { type: "start" }>): void {
		if (this.id !== "") return;
		this.id = event.id.startsWith("resp_") ? event.id : `resp_${this.suffix}`;
		this.createdAt = event.createdAt || this.options.now();
		this.tier = event.tier;
		this.usage = event.usage;
		if (!this.wire.live) return;
		const response = `"response":${JSON.stringify(openResponse(this.echo, this.state()))}`;
		this.wire.emit("response.created", response);
		this.wire.emit("response.in_progress", response);
	}

	private state(): ResponseState {
		const { id, createdAt, tier, usage } = this;
		return { id, createdAt, tier, usage, output: this.output.items() };
	}

	private complete(): void {
		const inWords = this.withheldInWords();
		const ending = encodeEnding(this.finish, this.blocked !== undefined || !inWords);
		this.output.endAll(ending.status === "incomplete");
		this.end(ending);
	}

	/**
	 * That an answer was withheld, which the upstream told only by how it ended, is put into words where there are any, and
	 * a refusal where nothing else was said; false when a text stands that such words would only disturb.
	 */
	private withheldInWords(): boolean {
		const { blocked, finish, blocks } = this;
		const reason = blocked ? "safety" : (finish?.reason ?? "stop");
		if (!withheld.has(reason) || blocks.refused) return true;
		const { message } = blocked ?? finish ?? {};
		if (message === undefined && reason !== "refusal") return true;
		if (message === undefined && blocks.spoke) return false;
		blocks.refuse(message ?? declined);
		return true;
	}

	private fail(denial: Denial): string {
		if (this.id === "") {
			this.over = true;
			return errorEvent(denial, this.wire.next);
		}
		this.end({ status: "failed", incomplete_details: null, error: answerError(denial) });
		return this.wire.take();
	}

	private end(ending: ReturnType<typeof encodeEnding>): void {
		this.over = true;
		this.ended = endedResponse(this.echo, this.state(), ending, this.options.now());
		if (this.wire.live) this.wire.emit(`response.${ending.status}`, `"response":${JSON.stringify(this.ended)}`);
	}

	answer(): WireRecord | undefined {
		return this.ended;
	}
}

/** An encoder for one answer. */
export const answerEncoder = (request: NeutralRequest, options: AnswerOptions): AnswerEncoder =>
	new Encoder(request, options);
