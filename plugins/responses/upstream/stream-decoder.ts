/**
 * An upstream's stream as neutral events. Items are told apart by `output_index`, because some vendors change the ids
 * with every event; what an item's end says is authoritative, and what only the terminal response tells is told too.
 */
import {
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	type DecodeContext,
	definedOnly,
	EventTemplate,
	eventMembers,
	isRecord,
	type NeutralEvent,
	openAiFailureWithin,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
	type WireRecord,
} from "#core";
import { decodeFinish } from "../finish.ts";
import { usageFor } from "../usage.ts";
import { BlockNumbers, type StreamedItem } from "./block-numbers.ts";
import { openItem } from "./streamed-item.ts";

const none: readonly NeutralEvent[] = [];
const tick: readonly NeutralEvent[] = [{ type: "tick" }];

const terminal = new Set(["response.completed", "response.incomplete", "response.failed", "response.cancelled"]);
const opening = new Set(["response.created", "response.queued", "response.in_progress"]);

const words = eventMembers(["delta"], ["sequence_number", "obfuscation"]);

class Decoder implements StreamDecoder {
	private readonly context: DecodeContext;
	private readonly numbers = new BlockNumbers();
	private readonly items = new Map<number, StreamedItem>();
	/** For vendors that leave `output_index` out. */
	private readonly indexById = new Map<string, number>();
	/** Events that only let grow what grew last. */
	private readonly template = new EventTemplate(words);
	private growing:
		| { readonly item: StreamedItem; readonly type: string; readonly event: Record<string, unknown> }
		| undefined;
	private latest = 0;
	private highest = -1;
	private started = false;
	private over = false;

	constructor(context: DecodeContext) {
		this.context = context;
	}

	push({ data }: StreamEvent): readonly NeutralEvent[] {
		if (this.over) return none;
		const more = this.repeated(data);
		if (more) return more;
		this.growing = undefined;
		if (data === "" || data.trim() === "[DONE]" || data === "null") return none;
		const event = parseJson(data);
		if (!isRecord(event)) return this.fail({ message: "The upstream sent an event that cannot be read." });
		const type = asText(event["type"]);
		if (type === undefined) return isRecord(event["error"]) || event["code"] ? this.fail(event) : tick;
		if (type === "error") return this.fail(event);
		if (opening.has(type)) return this.start(asRecord(event["response"]));
		if (terminal.has(type)) return this.finish(type, asRecord(event["response"]));
		return this.within(type, event, data);
	}

	private repeated(data: string): readonly NeutralEvent[] | undefined {
		if (!this.growing || !this.template.repeats(data)) return undefined;
		const { item, type, event } = this.growing;
		event["delta"] = this.template.value(data);
		return event["delta"] === undefined ? undefined : (item.event(type, event) ?? tick);
	}

	/** Events that concern one item. */
	private within(type: string, event: WireRecord, data: string): readonly NeutralEvent[] {
		const index = this.indexOf(event);
		if (type === "response.output_item.added") return this.added(index, asRecord(event["item"]));
		if (type === "response.output_item.done") return this.done(index, asRecord(event["item"]));
		const item = this.items.get(index) ?? this.unannounced(index, type, event);
		if (item && type.endsWith(".delta")) {
			this.growing = { item, type, event: { ...event } };
			this.template.learn(data);
		}
		return item?.event(type, event) ?? tick;
	}

	private indexOf(event: WireRecord): number {
		const id = asText(event["item_id"]) ?? asText(asRecord(event["item"])["id"]);
		const index = asCount(event["output_index"]) ?? this.indexById.get(id ?? "") ?? this.nextFor(event);
		if (id !== undefined) this.indexById.set(id, index);
		this.latest = index;
		return index;
	}

	/** An item that names no index is a new one when it begins, else the latest. */
	private nextFor(event: WireRecord): number {
		return event["type"] === "response.output_item.added" && this.items.size > 0 ? this.highest + 1 : this.latest;
	}

	private added(index: number, item: WireRecord): readonly NeutralEvent[] {
		if (this.items.has(index)) return tick;
		return this.open(index, item).begin();
	}

	private open(index: number, item: WireRecord): StreamedItem {
		const context = { family: this.context.family, toolNames: this.context.names.tools };
		const streamed = openItem(item, this.numbers, context);
		this.items.set(index, streamed);
		this.highest = Math.max(this.highest, index);
		return streamed;
	}

	/** Some vendors send deltas of an item they never announced: the event's name tells what it must be. */
	private unannounced(index: number, type: string, event: WireRecord): StreamedItem | undefined {
		const sort = /^response\.(output_text|refusal|content_part)\./.test(type)
			? "message"
			: /^response\.reasoning/.test(type)
				? "reasoning"
				: undefined;
		if (sort === undefined) return undefined;
		return this.open(index, { type: sort, ...definedOnly({ id: asText(event["item_id"]) }) });
	}

	private done(index: number, item: WireRecord): readonly NeutralEvent[] {
		const known = this.items.get(index);
		if (known) return known.end(item);
		const streamed = this.open(index, item);
		return [...streamed.begin(), ...streamed.end(item)];
	}

	private start(response: WireRecord): readonly NeutralEvent[] {
		if (this.started) return tick;
		this.started = true;
		return [
			{
				type: "start",
				id: asText(response["id"]) ?? "",
				model: asText(response["model"]) ?? "",
				createdAt: asNumber(response["created_at"]) ?? 0,
			},
		];
	}

	private finish(type: string, response: WireRecord): readonly NeutralEvent[] {
		this.over = true;
		const output = asList(response["output"]);
		const events: NeutralEvent[] = this.started ? [] : [...this.start(response)];
		events.push(...this.settleAll(output.filter(isRecord)));
		for (const item of this.items.values()) events.push(...item.end());
		const usage = usageFor(this.context.request.protocol, response, output.length > 0 ? output : this.rawItems());
		const tier = asText(response["service_tier"]);
		if (usage) events.push({ type: "usage", usage, ...definedOnly({ tier }) });
		if (type === "response.failed" || response["status"] === "failed") {
			events.push({ type: "error", error: openAiFailureWithin(response) }, { type: "end", clean: false });
			return events;
		}
		const status = asText(response["status"]) ?? type.slice("response.".length);
		const told = { ...response, status };
		events.push({ type: "finish", candidate: 0, finish: decodeFinish(told, this.numbers.seen) });
		events.push({ type: "end", clean: true });
		return events;
	}

	/**
	 * What the terminal response says of each item: the end of one still open, all of one never told. Its id tells which it
	 * is; where ids change it is the first of its type that no id names, for indices of a stream may have gaps.
	 */
	private settleAll(output: readonly WireRecord[]): readonly NeutralEvent[] {
		const named = output.map((item) => this.named(item));
		const isNamed = new Set(named);
		const others = [...this.items].sort(([one], [other]) => other - one).filter(([, item]) => !isNamed.has(item));
		// The first of a type is the last of its list.
		const byType = Map.groupBy(others, ([, { type }]): unknown => type);
		return output.flatMap((item, place) => {
			const known = named[place] ?? byType.get(item["type"])?.pop()?.[1];
			return known ? known.end(item) : this.done(this.highest + 1, item);
		});
	}

	private named({ id, type }: WireRecord): StreamedItem | undefined {
		const item = this.items.get(this.indexById.get(asText(id) ?? "") ?? -1);
		return item?.type === type ? item : undefined;
	}

	private rawItems(): readonly unknown[] {
		return [...this.items.values()].map(({ type }) => ({ type }));
	}

	private fail(event: WireRecord): readonly NeutralEvent[] {
		this.over = true;
		return [
			{ type: "error", error: openAiFailureWithin(event) },
			{ type: "end", clean: false },
		];
	}

	end(): readonly NeutralEvent[] {
		if (this.over) return none;
		this.over = true;
		return [{ type: "end", clean: false }];
	}
}

/** A decoder for one stream. An end that was not announced is no success. */
export const streamDecoder = (context: DecodeContext): StreamDecoder => new Decoder(context);
