/** A call as the ledger tells it. */
import { asWire, number, text, texts, time, type Wire, wires } from "../data/read.ts";
import type { Tone } from "../parts/state.tsx";

export interface Attempt {
	readonly upstream: string;
	readonly model: string;
	readonly why: string | undefined;
	readonly status: number | undefined;
	/** What kind of failure it was; undefined when it went well. */
	readonly code: string | undefined;
	/** The vendor's own words. */
	readonly message: string | undefined;
	readonly durationMs: number | undefined;
	/** Targets that were passed over before it, and why. */
	readonly skipped: readonly string[];
}

/** Tokens of one kind, what a million of them costs, and what they cost. Dollars. */
interface PricePart {
	readonly what: string;
	readonly tokens: number;
	readonly rate: number;
	readonly cost: number;
}

interface Arithmetic {
	readonly parts: readonly PricePart[];
	readonly sum: number;
	/** Whether the sum is what was charged. */
	readonly charged: boolean;
}

export interface CallRecord {
	readonly id: string;
	readonly at: number | undefined;
	readonly token: string | undefined;
	readonly tokenName: string | undefined;
	/** The beginning of the SHA-256 of a key that is no token's. */
	readonly key: string | undefined;
	/** How many refusals of a flood it stands for. */
	readonly repeats: number | undefined;
	readonly model: string | undefined;
	readonly upstream: string | undefined;
	readonly protocol: string | undefined;
	/** Of a task its kind. */
	readonly operation: string | undefined;
	readonly ending: string;
	readonly status: number | undefined;
	readonly cost: number | undefined;
	readonly inputTokens: number;
	readonly cachedTokens: number;
	readonly outputTokens: number;
	readonly reasoningTokens: number;
	readonly firstByteMs: number | undefined;
	readonly durationMs: number | undefined;
	readonly address: string | undefined;
	readonly reason: string | undefined;
	/** The upstream's word for an end that is not the answer's own. */
	readonly stopped: string | undefined;
	readonly message: string | undefined;
	readonly advice: string | undefined;
	readonly stream: boolean;
	readonly estimated: boolean;
	readonly excess: number;
	readonly arithmetic: Arithmetic | undefined;
	/** `app=web`, as lists are kept to them. */
	readonly tags: readonly string[];
	readonly attempts: readonly Attempt[];
	readonly dropped: readonly string[];
	/** How many calls ended alike, and since when. */
	readonly alike: { readonly calls: number; readonly since: number | undefined } | undefined;
}

const attemptOf = (wire: Wire): Attempt => ({
	upstream: text(wire, "upstream") ?? "",
	model: text(wire, "model") ?? "",
	why: text(wire, "why"),
	status: number(wire, "status"),
	code: text(wire, "code"),
	message: text(wire, "message"),
	durationMs: number(wire, "durationMs"),
	skipped: wires(wire, "skipped").map(
		(one) => `${[text(one, "upstream"), text(one, "model")].filter(Boolean).join(":")}: ${text(one, "reason") ?? ""}`,
	),
});

const arithmeticOf = (wire: Wire): Arithmetic | undefined => {
	const parts = wires(wire, "parts").map((part) => ({
		what: text(part, "what") ?? "",
		tokens: number(part, "tokens") ?? 0,
		rate: number(part, "rate") ?? 0,
		cost: number(part, "cost") ?? 0,
	}));
	return parts.length === 0 ? undefined : { parts, sum: number(wire, "sum") ?? 0, charged: wire["charged"] === true };
};

export const callOf = (wire: Wire): CallRecord => {
	const alike = asWire(wire["alike"]);
	return {
		id: text(wire, "requestId") ?? text(wire, "id") ?? "",
		at: time(wire, "at"),
		token: text(wire, "token"),
		tokenName: text(wire, "tokenName"),
		key: text(wire, "key"),
		repeats: number(wire, "repeats"),
		model: text(wire, "model"),
		upstream: text(wire, "upstream"),
		protocol: text(wire, "protocol"),
		operation: text(wire, "operation"),
		ending: text(wire, "ending") ?? "",
		status: number(wire, "status"),
		cost: number(wire, "cost"),
		inputTokens: number(wire, "inputTokens") ?? 0,
		cachedTokens: number(wire, "cachedTokens") ?? 0,
		outputTokens: number(wire, "outputTokens") ?? 0,
		reasoningTokens: number(wire, "reasoningTokens") ?? 0,
		firstByteMs: number(wire, "firstByteMs"),
		durationMs: number(wire, "durationMs"),
		address: text(wire, "address"),
		reason: text(wire, "reason"),
		stopped: text(wire, "stopped"),
		message: text(wire, "message"),
		advice: text(wire, "advice"),
		stream: wire["stream"] === true,
		estimated: wire["estimated"] === true,
		excess: number(wire, "excess") ?? 0,
		arithmetic: arithmeticOf(asWire(wire["arithmetic"])),
		tags: Object.entries(asWire(wire["tags"])).map(([name, value]) => `${name}=${value}`),
		attempts: wires(wire, "attempts").map(attemptOf),
		dropped: texts(wire, "dropped"),
		alike:
			number(alike, "calls") === undefined
				? undefined
				: { calls: number(alike, "calls") ?? 0, since: time(alike, "since") },
	};
};

/** Written down afterwards, by who knew no more than what was held: nobody knows what was asked, used and answered. */
export const isUntold = ({ ending }: CallRecord): boolean => ending === "crash" || isCorrection({ ending });

/** A charge of all that a node had set aside, or its putting right: of no call. */
export const isCorrection = ({ ending }: Pick<CallRecord, "ending">): boolean =>
	ending === "lease_lost" || ending === "lease_found";

/** As the server finds whatever went otherwise than well. */
export const notCompleted = "not_completed";

/** In a sentence. */
export const endingInWords = (ending: string): string =>
	ending === notCompleted ? "not completed" : (endings[ending]?.[0] ?? ending).toLowerCase();

export const endings: Readonly<Record<string, readonly [word: string, tone: Tone]>> = {
	completed: ["Completed", "good"],
	refused: ["Refused", "warn"],
	client_left: ["Client left", "off"],
	upstream_failed: ["Upstream failed", "stop"],
	cut: ["Cut at its limit", "warn"],
	timed_out: ["Timed out", "stop"],
	shut_down: ["Shut down", "off"],
	failed: ["Failed", "stop"],
	crash: ["Crash", "stop"],
	lease_lost: ["Node lost", "warn"],
	lease_found: ["Node found", "off"],
};
