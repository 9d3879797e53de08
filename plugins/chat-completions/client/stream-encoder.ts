/** Neutral events as OpenAI's `chat.completion.chunk`s, in the grammar that the strictest of its SDKs wants. */
import {
	asText,
	type Denial,
	failureOf,
	type NeutralEvent,
	type NeutralRequest,
	type StreamEncoder,
	type Usage,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";
import { encodeUsage } from "../usage.ts";
import { ChoiceEncoder } from "./choice-encoder.ts";
import type { ChunkFrame } from "./chunk-frame.ts";
import { encodeTier } from "./encode-response.ts";
import { renderStreamDenial } from "./errors.ts";
import { isLegacy } from "./legacy.ts";

type Of<T extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: T }>;

const broken: Denial = {
	kind: "upstream",
	message: "The model's answer broke off before it was complete. Ask again.",
};

class Encoder implements StreamEncoder {
	private readonly request: NeutralRequest;
	/** Written once for all chunks. */
	private frame: ChunkFrame = { head: "", tail: "]}\n\n", createdAt: 0, legacy: false };
	private readonly choices = new Map<number, ChoiceEncoder>();
	/** The choice that each open block belongs to. */
	private readonly owners = new Map<number, ChoiceEncoder>();
	private usage: Usage | undefined;
	private tierTold = false;
	/** What the upstream told with the usage, as some do who do not know the tier before. */
	private lateTier: string | undefined;
	private over = false;

	constructor(request: NeutralRequest) {
		this.request = request;
	}

	push(event: NeutralEvent): string {
		if (this.over) return "";
		switch (event.type) {
			case "start":
				return this.start(event);
			case "open": {
				const choice = this.choice(event.candidate);
				this.owners.set(event.block, choice);
				return choice.open(event.block, event.shell);
			}
			case "delta":
				return this.owners.get(event.block)?.delta(event.block, event.delta) ?? "";
			case "close":
				return this.close(event);
			case "finish":
				return this.finish(event);
			case "usage":
				this.usage = event.usage;
				this.lateTier = encodeTier(event.tier) ?? this.lateTier;
				return "";
			case "grounding":
				this.choice(event.candidate).ground(event.grounding);
				return "";
			case "blocked":
				return this.choice(0).block(event.message);
			case "error":
				return this.fail(event.error);
			case "end":
				return event.clean ? this.end() : this.fail(broken);
			default:
				return "";
		}
	}

	answer(): WireRecord | undefined {
		return this.frame.legacy ? undefined : { choices: [...this.choices.values()].map(({ beside }) => beside) };
	}

	private start({ id, createdAt, tier, extras, usage }: Of<"start">): string {
		const word = encodeTier(tier);
		const fingerprint = asText(extras?.[protocolName]?.["system_fingerprint"]);
		const more =
			(word === undefined ? "" : `"service_tier":${JSON.stringify(word)},`) +
			(fingerprint === undefined ? "" : `"system_fingerprint":${JSON.stringify(fingerprint)},`);
		this.usage = usage;
		const head = `data: {"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${createdAt},"model":${JSON.stringify(this.request.model)},${more}"choices":[`;
		// With usage asked for, OpenAI says in every other chunk that this is not it.
		const tail = this.request.includeUsage === true ? '],"usage":null}\n\n' : "]}\n\n";
		this.frame = { head, tail, createdAt, legacy: isLegacy(this.request) };
		this.tierTold = word !== undefined;
		return "";
	}

	private choice(candidate: number): ChoiceEncoder {
		let choice = this.choices.get(candidate);
		if (choice === undefined) {
			choice = new ChoiceEncoder(candidate, this.frame);
			this.choices.set(candidate, choice);
		}
		return choice;
	}

	private close({ block, final }: Of<"close">): string {
		const text = this.owners.get(block)?.close(block, final) ?? "";
		this.owners.delete(block);
		return text;
	}

	/** The protocol has no word for an answer that failed: it is an error, not a stop. */
	private finish({ candidate, finish }: Of<"finish">): string {
		const failure = failureOf(finish);
		return failure ? this.fail(failure) : this.choice(candidate).finish(finish);
	}

	private fail(error: Denial): string {
		this.over = true;
		return renderStreamDenial(error);
	}

	private end(): string {
		this.over = true;
		let text = "";
		for (const choice of this.choices.values()) text += choice.finish({ reason: "stop" });
		if (this.choices.size === 0) text += this.choice(0).finish({ reason: "stop" });
		return `${text}${this.usageChunk()}data: [DONE]\n\n`;
	}

	private usageChunk(): string {
		if (this.request.includeUsage !== true || this.usage === undefined) return "";
		const tier = this.tierTold ? undefined : this.lateTier;
		const more = tier === undefined ? "" : `"service_tier":${JSON.stringify(tier)},`;
		return `${this.frame.head}],${more}"usage":${JSON.stringify(encodeUsage(this.usage))}}\n\n`;
	}
}

/** Encodes one stream. Expects the order written at `NeutralEvent`. */
export const streamEncoder = (request: NeutralRequest): StreamEncoder => new Encoder(request);
