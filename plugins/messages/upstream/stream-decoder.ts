/** A stream of an upstream as neutral events. Lenient about order: the core's next stage restores it. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type DecodeContext,
	definedOnly,
	EventTemplate,
	eventMembers,
	isRecord,
	type NeutralEvent,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
	type WireRecord,
} from "#core";
import { decodeFinish } from "../finish.ts";
import { decodeTier, decodeUsage, mergeUsage } from "../usage.ts";
import { AnswerStage } from "./answer-stage.ts";
import { messageExtras, now } from "./decode-response.ts";
import { OutputStream } from "./output-stream.ts";
import { decodeToldError } from "./upstream-error.ts";

const none: readonly NeutralEvent[] = [];

const words = eventMembers(["text", "thinking", "partial_json"], ["p"]);

/** Data that is no event: some relays keep a line alive with it. */
const isNoise = (data: string): boolean => data.length < 12 && /^\s*(?:|null|\{\}|\[DONE\])\s*$/.test(data);

class Decoder implements StreamDecoder {
	private readonly context: DecodeContext;
	private readonly blocks = new Map<number, OutputStream>();
	/** Events that only let the block grow that grew last. */
	private readonly template = new EventTemplate(words);
	private growing: OutputStream | undefined;
	private readonly stage: AnswerStage | undefined;
	private usage: WireRecord = {};
	/** Numbers of blocks that came with the start, below those of the stream's own. */
	private before = 0;
	private over = false;

	constructor(context: DecodeContext) {
		this.context = context;
		if (context.names.answer !== undefined) this.stage = new AnswerStage();
	}

	/** What a block tells, as far as it may be told yet. */
	private said(stream: OutputStream, events: readonly NeutralEvent[]): readonly NeutralEvent[] {
		return this.stage === undefined ? events : this.stage.take(stream, events);
	}

	/** What ends the answer, behind all that it still has to tell. */
	private last(...events: readonly NeutralEvent[]): readonly NeutralEvent[] {
		return this.stage === undefined ? events : [...this.stage.rest(), ...events];
	}

	push({ name, data }: StreamEvent): readonly NeutralEvent[] {
		if (this.over) return none;
		if (this.growing && this.template.repeats(data)) {
			const more = this.template.value(data);
			if (more !== undefined) return this.said(this.growing, this.growing.grow({ [this.template.name]: more }));
		}
		this.growing = undefined;
		if (isNoise(data)) return none;
		const event = parseJson(data);
		if (!isRecord(event)) return this.fail({ message: "The upstream sent an event that is not JSON." });
		switch (event["type"] ?? name) {
			case "content_block_delta":
				return this.grow(event, data);
			case "content_block_start":
				return this.open(asCount(event["index"]) ?? 0, asRecord(event["content_block"]));
			case "content_block_stop":
				return this.close(asCount(event["index"]) ?? 0);
			case "message_start":
				return this.start(asRecord(event["message"]));
			case "message_delta":
				return this.tell(event);
			case "message_stop":
				this.over = true;
				return this.last({ type: "end", clean: true });
			case "ping":
				return [{ type: "tick" }];
			default:
				// Anything else without an error belongs to a later version of the protocol.
				return event["type"] === "error" || event["error"] !== undefined ? this.fail(event) : none;
		}
	}

	end(): readonly NeutralEvent[] {
		if (this.over) return none;
		this.over = true;
		return this.last({ type: "end", clean: false });
	}

	private fail(told: WireRecord): readonly NeutralEvent[] {
		this.over = true;
		return this.last({ type: "error", error: decodeToldError(told) }, { type: "end", clean: false });
	}

	/** A message that goes on from before may start with blocks it has already. */
	private start(message: WireRecord): readonly NeutralEvent[] {
		this.usage = mergeUsage(this.usage, message["usage"]);
		const before = asList(message["content"]).flatMap((block) => {
			this.before--;
			return [...this.open(this.before, asRecord(block)), ...this.close(this.before)];
		});
		return [
			{
				type: "start",
				id: asText(message["id"]) ?? "",
				model: asText(message["model"]) ?? "",
				createdAt: now(),
				...definedOnly({
					usage: isRecord(message["usage"]) ? decodeUsage(this.usage) : undefined,
					tier: decodeTier(this.usage),
					extras: messageExtras(message),
				}),
			},
			...before,
		];
	}

	private open(block: number, start: WireRecord): readonly NeutralEvent[] {
		const stream = new OutputStream(block, start, this.context);
		this.blocks.set(block, stream);
		return this.said(stream, stream.open());
	}

	private grow(event: WireRecord, data: string): readonly NeutralEvent[] {
		const block = asCount(event["index"]) ?? 0;
		const delta = asRecord(event["delta"]);
		const known = this.blocks.get(block);
		if (known) {
			this.growing = known;
			this.template.learn(data);
			return this.said(known, known.grow(delta));
		}
		// Some upstreams speak before they open a block.
		const type = typeof delta["thinking"] === "string" ? "thinking" : "text";
		if (typeof delta[type] !== "string") return none;
		return this.open(block, { type, [type]: delta[type] });
	}

	private close(block: number): readonly NeutralEvent[] {
		const known = this.blocks.get(block);
		this.blocks.delete(block);
		return known === undefined ? none : this.said(known, known.close());
	}

	private tell(event: WireRecord): readonly NeutralEvent[] {
		this.usage = mergeUsage(this.usage, event["usage"]);
		const told = asRecord(event["delta"]);
		const { context_management = null } = event;
		const events: NeutralEvent[] = [];
		// What tells no output is not the sum: the start's count is of a token or so.
		const sums = asCount(asRecord(event["usage"])["output_tokens"]) !== undefined;
		const usage = sums ? decodeUsage(this.usage) : undefined;
		if (usage) events.push({ type: "usage", usage, ...definedOnly({ tier: decodeTier(this.usage) }) });
		if (typeof told["stop_reason"] !== "string") return events;
		const extras = messageExtras({ ...told, context_management });
		events.push({ type: "finish", candidate: 0, finish: decodeFinish(told), ...definedOnly({ extras }) });
		return this.last(...events);
	}
}

/** Reads one stream. */
export const streamDecoder = (context: DecodeContext): StreamDecoder => new Decoder(context);
