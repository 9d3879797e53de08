/**
 * The stage between a decoder and an encoder of streams: whatever order events come in, what goes out keeps the order
 * written at `NeutralEvent`. Encoders rely on it and repair nothing themselves.
 */
import { createHash } from "node:crypto";
import { BlockGate } from "./block-gate.ts";
import type { Block } from "./content.ts";
import type { Denial } from "./denial.ts";
import { explode } from "./explode.ts";
import { fold } from "./fold.ts";
import type { Finish, NeutralEvent, NeutralResponse } from "./response.ts";

type Of<T extends NeutralEvent["type"]> = Extract<NeutralEvent, { type: T }>;

/** What a stream is given that does not name itself. */
interface StreamDefaults {
	readonly id?: string;
	readonly model?: string;
	/** Seconds since 1970. */
	readonly createdAt?: number;
}

interface EventNormalizer {
	/** The events that may go out now, in order. After `end` nothing goes out any more. */
	push(event: NeutralEvent): readonly NeutralEvent[];
}

/**
 * A stage for one stream. What it guarantees:
 * - one `start`, first (only ticks may precede it), with an id, a model and a time;
 * - blocks numbered from 0 in the order they open, each extended only while open and closed once; shells open empty and
 *   grow by deltas, and what only `final` tells comes as deltas before the close;
 * - no empty text, thinking or refusal; a tool call opens when its id and name are known, gets a deterministic id at its
 *   close when none came and another one when an earlier call has its id, and is dropped when no name came;
 * - grounding and finish once per candidate, after its blocks and after usage, just before `end`; where the
 *   upstream said `stop`, `tool_calls` when a client tool call was told and `refusal` when a refusal was; `stop` where it
 *   said `tool_calls` and none was told; `error` for an unknown reason and nothing said;
 * - an error, or an end that is not clean, is `error` followed by `end`, with open blocks left open and no finish.
 */
export const normalizeEvents = (defaults: StreamDefaults = {}): EventNormalizer => new Normalizer(defaults);

/** The same repairs for a whole response. */
export const normalizeResponse = (response: NeutralResponse, defaults: StreamDefaults = {}): NeutralResponse => {
	const normalizer = normalizeEvents(defaults);
	return fold(explode(response).flatMap((event) => normalizer.push(event)));
};

/** Of an answer whose stream, or whose body, ends before its protocol says so. */
export const brokenOff: Denial = {
	kind: "upstream",
	code: "stream_incomplete",
	message: "The model's answer broke off before it was complete; what has been received may be cut short.",
};

const none: readonly NeutralEvent[] = [];

/** Before the start; a delta there is of no block, and goes nowhere. */
const mayPrecede: ReadonlySet<NeutralEvent["type"]> = new Set(["tick", "start", "delta"]);

/** Typed clients read nothing but a whole number; some vendors tell fractions, or milliseconds. */
const wholeSeconds = (time: number): number => Math.floor(time > 1e11 ? time / 1000 : time);

class Normalizer implements EventNormalizer {
	private readonly defaults: StreamDefaults;
	private readonly gate = new BlockGate((block) => this.callId(block));
	private readonly finishes = new Map<number, Of<"finish">>();
	private readonly groundings = new Map<number, Of<"grounding">>();
	private id = "";
	private started = false;
	private blocked = false;
	private ended = false;

	constructor(defaults: StreamDefaults) {
		this.defaults = defaults;
	}

	push(event: NeutralEvent): readonly NeutralEvent[] {
		if (this.ended) return none;
		if (!this.started && !mayPrecede.has(event.type)) return [...this.start(), ...this.push(event)];
		switch (event.type) {
			case "tick":
				return [event];
			case "start":
				return this.start(event);
			case "delta":
				return this.gate.delta(event);
			case "open":
				return this.gate.open(event);
			case "close":
				return this.gate.close(event);
			case "usage":
				return [event];
			case "finish":
				this.finishes.set(event.candidate, event);
				return none;
			case "grounding":
				this.groundings.set(event.candidate, event);
				return none;
			case "blocked":
				if (this.blocked) return none;
				this.blocked = true;
				return [event];
			case "error":
				return this.fail(event.error);
			case "end":
				return event.clean ? this.end() : this.fail(brokenOff);
		}
	}

	/** A later start adds nothing but the usage it may tell. */
	private start(event?: Of<"start">): readonly NeutralEvent[] {
		if (this.started) return event?.usage ? [{ type: "usage", usage: event.usage }] : none;
		this.started = true;
		const id = event?.id || this.defaults.id || crypto.randomUUID();
		const model = event?.model || this.defaults.model || "unknown";
		const createdAt = wholeSeconds(Number(event?.createdAt) || this.defaults.createdAt || Date.now());
		this.id = id;
		return [{ ...event, type: "start", id, model, createdAt }];
	}

	private fail(error: Denial): readonly NeutralEvent[] {
		this.ended = true;
		return [
			{ type: "error", error },
			{ type: "end", clean: false },
		];
	}

	private end(): readonly NeutralEvent[] {
		const events: NeutralEvent[] = [...this.gate.closeAll()];
		const seen = new Set(this.gate.candidates.keys());
		for (const candidate of this.groundings.keys()) seen.add(candidate);
		for (const candidate of this.finishes.keys()) seen.add(candidate);
		if (seen.size === 0 && !this.blocked) seen.add(0);
		for (const candidate of [...seen].sort((a, b) => a - b)) {
			const grounding = this.groundings.get(candidate);
			if (grounding) events.push(grounding);
			events.push(this.finish(candidate));
		}
		events.push({ type: "end", clean: true });
		this.ended = true;
		return events;
	}

	private finish(candidate: number): NeutralEvent {
		const told = this.finishes.get(candidate);
		const finish = corrected(told?.finish ?? { reason: "stop" }, this.gate.told(candidate));
		return { type: "finish", candidate, finish, ...(told?.extras && { extras: told.extras }) };
	}

	/** An id for a call that came without one: the same for the same stream, so that histories stay equal. */
	private callId(block: number): string {
		return `call_${createHash("sha256").update(`${this.id}:${block}`).digest("hex").slice(0, 24)}`;
	}
}

const hasSpoken = (told: ReadonlySet<Block["type"]>): boolean => {
	for (const type of told) if (type !== "thinking" && type !== "opaque_thinking") return true;
	return false;
};

/**
 * What was told decides between `stop`, `tool_calls` and `refusal`; a call that was told although its upstream finds it
 * malformed, or ends for a reason that has no name, is the client's to answer. Every other reason stands.
 */
const corrected = (finish: Finish, told: ReadonlySet<Block["type"]>): Finish => {
	const called = told.has("tool_call");
	if (finish.reason === "malformed_call" || finish.reason === "other") {
		if (called) return { ...finish, reason: "tool_calls" };
		// Whoever ends without a word, and for no reason that has a name, has not answered.
		return finish.reason === "other" && !hasSpoken(told) ? { ...finish, reason: "error" } : finish;
	}
	if (finish.reason !== "stop" && finish.reason !== "tool_calls") return finish;
	const otherwise = told.has("refusal") ? "refusal" : "stop";
	const reason = called ? "tool_calls" : otherwise;
	return reason === finish.reason ? finish : { ...finish, reason };
};

/**
 * What a client is told of an answer that its model could not finish, where its protocol has no word for that; undefined
 * for any other finish.
 */
export const failureOf = ({ reason, raw, message }: Finish): Denial | undefined => {
	// A tool call that cannot be read is no answer either: without its call there is nothing to go on from.
	const unreadable = reason === "malformed_call";
	if (!unreadable && reason !== "error") return undefined;
	const why = raw === undefined ? "" : ` (${raw})`;
	const told = unreadable
		? `The model wrote a tool call that cannot be read${why}. Ask again.`
		: `The model stopped with an error${why} before its answer was complete. Ask again.`;
	return { kind: "upstream", message: message ?? told };
};
