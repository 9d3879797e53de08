/** An upstream's stream of chunks as neutral events. */
import {
	asCount,
	asList,
	asNumber,
	asRecord,
	asText,
	type DecodeContext,
	type Denial,
	definedOnly,
	EventTemplate,
	eventMembers,
	type Grounding,
	isRecord,
	type NeutralEvent,
	openAiFailureWithin,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
	type WireRecord,
} from "#core";
import { failureWithin } from "../failure-within.ts";
import { protocolName } from "../name.ts";
import { padding, type StreamScope } from "../stream-scope.ts";
import { citesWeb, usageFor, usageIn } from "../usage.ts";
import { ChoiceDecoder } from "./choice-decoder.ts";
import { searchGrounding } from "./grounding.ts";

const none: readonly NeutralEvent[] = [];
const tick: readonly NeutralEvent[] = [{ type: "tick" }];

const notJson: Denial = { kind: "upstream", message: "The upstream sent an event that is not JSON. Ask again." };
const nothing: Denial = { kind: "upstream", message: "The upstream ended its stream without an answer. Ask again." };

/** A piece of an answer has choices, and neither an error nor Groq's or MiniMax's word on the stream. */
const mayFail = ({ choices, error, x_groq, base_resp }: WireRecord): boolean =>
	!Array.isArray(choices) || Boolean(error) || x_groq !== undefined || base_resp !== undefined;

const words = eventMembers(["content"], padding);

const isOneText = ([event, ...rest]: readonly NeutralEvent[]): boolean =>
	rest.length === 0 && event?.type === "delta" && event.delta.type === "text";

class Decoder implements StreamDecoder {
	private readonly scope: StreamScope;
	private readonly choices = new Map<number, ChoiceDecoder>();
	/** Chunks that only go on with the text of the choice that spoke last. */
	private readonly template = new EventTemplate(words);
	private speaker: ChoiceDecoder | undefined;
	private grounding: Grounding | undefined;
	private blocks = 0;
	private started = false;
	private cites = false;
	private over = false;

	constructor(context: DecodeContext) {
		this.scope = { context, nextBlock: () => this.blocks++ };
	}

	push({ data }: StreamEvent): readonly NeutralEvent[] {
		if (this.over) return none;
		if (this.speaker && this.template.repeats(data)) {
			const more = this.template.value(data);
			if (more) return this.speaker.more(more);
		}
		const text = data.trim();
		if (text === "[DONE]") return this.finish();
		if (text === "" || text === "null") return none;
		const chunk = parseJson(text);
		if (!isRecord(chunk)) return this.fail(notJson);
		this.speaker = undefined;
		const events = this.chunk(chunk);
		if (isOneText(events)) this.template.learn(data);
		else this.speaker = undefined;
		return events;
	}

	/** A stream whose every choice has told its finish is whole, also where the vendor sends no `[DONE]`. */
	end(): readonly NeutralEvent[] {
		if (this.over) return none;
		const choices = [...this.choices.values()];
		if (choices.length > 0 && choices.every((choice) => choice.isFinished)) return this.finish();
		this.over = true;
		return [{ type: "end", clean: false }];
	}

	private chunk(chunk: WireRecord): readonly NeutralEvent[] {
		const events: NeutralEvent[] = [];
		const failure = mayFail(chunk) ? failureWithin(chunk) : undefined;
		if (failure !== undefined) {
			// What the broken answer cost all the same is told with its failure.
			if (this.started) this.usage(chunk, events);
			return [...events, ...this.fail(failure)];
		}
		const choices = asList(chunk["choices"]);
		this.start(chunk, choices.length > 0, events);
		for (const [place, value] of choices.entries()) {
			const choice = asRecord(value);
			if (isRecord(choice["error"])) return [...events, ...this.fail(openAiFailureWithin(choice))];
			this.cites ||= citesWeb(asRecord(choice["delta"]));
			this.speaker = this.choice(choice, place);
			for (const event of this.speaker.push(choice)) events.push(event);
		}
		this.usage(chunk, events);
		this.grounding = searchGrounding(chunk, asRecord(asRecord(choices[0])["delta"])) ?? this.grounding;
		return events.length === 0 ? tick : events;
	}

	/** Some vendors send a chunk about the prompt before the answer; it names nothing. */
	private start(chunk: WireRecord, says: boolean, events: NeutralEvent[]): void {
		const id = asText(chunk["id"]) ?? "";
		if (this.started || (id === "" && !says)) return;
		this.started = true;
		const fingerprint = asText(chunk["system_fingerprint"]);
		events.push({
			type: "start",
			id,
			model: asText(chunk["model"]) ?? "",
			createdAt: asNumber(chunk["created"]) ?? 0,
			...definedOnly({
				tier: asText(chunk["service_tier"]),
				extras: fingerprint === undefined ? undefined : { [protocolName]: { system_fingerprint: fingerprint } },
			}),
		});
	}

	private choice(choice: WireRecord, place: number): ChoiceDecoder {
		const index = asCount(choice["index"]) ?? place;
		let decoder = this.choices.get(index);
		if (decoder === undefined) {
			decoder = new ChoiceDecoder(index, this.scope);
			this.choices.set(index, decoder);
		}
		return decoder;
	}

	private usage(chunk: WireRecord, events: NeutralEvent[]): void {
		const usage = usageFor(this.scope.context, usageIn(chunk), this.cites);
		if (usage === undefined) return;
		events.push({ type: "usage", usage, ...definedOnly({ tier: asText(chunk["service_tier"]) }) });
	}

	private finish(): readonly NeutralEvent[] {
		if (!this.started) return this.fail(nothing);
		this.over = true;
		const events: NeutralEvent[] = [];
		const { grounding } = this;
		if (grounding !== undefined) events.push({ type: "grounding", candidate: 0, grounding });
		for (const choice of this.choices.values()) events.push(...choice.end());
		events.push({ type: "end", clean: true });
		return events;
	}

	private fail(error: Denial): readonly NeutralEvent[] {
		this.over = true;
		return [
			{ type: "error", error },
			{ type: "end", clean: false },
		];
	}
}

/** Decodes one stream. */
export const streamDecoder = (context: DecodeContext): StreamDecoder => new Decoder(context);
