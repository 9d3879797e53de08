/** What clients are told of their limits, in the words of the protocol they speak. */
import type { Clock } from "#core";
import type { Gauge, Meter } from "./meter.ts";

type Headers = Record<string, string>;

/** `450ms`, `12s`, `1m3s`, as OpenAI writes it. */
export const duration = (milliseconds: number): string => {
	if (milliseconds <= 0) return "0s";
	if (milliseconds < 1000) return `${Math.ceil(milliseconds)}ms`;
	const seconds = Math.ceil(milliseconds / 1000);
	return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
};

type Kind = "requests" | "tokens";

const openai = {
	requests: ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
	tokens: ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
} as const;

const anthropic = {
	requests: [
		"anthropic-ratelimit-requests-limit",
		"anthropic-ratelimit-requests-remaining",
		"anthropic-ratelimit-requests-reset",
	],
	tokens: [
		"anthropic-ratelimit-tokens-limit",
		"anthropic-ratelimit-tokens-remaining",
		"anthropic-ratelimit-tokens-reset",
	],
} as const;

/** When it is full, as Anthropic writes it. */
const secondOf = (time: number): string => new Date(Math.ceil(time / 1000) * 1000).toISOString().replace(".000Z", "Z");

const write = (headers: Headers, kind: Kind, gauge: Gauge, protocol: string, clock: Clock): void => {
	const isAnthropic = protocol === "messages";
	const [limit, remaining, reset] = (isAnthropic ? anthropic : openai)[kind];
	const now = clock.monotonic();
	headers[limit] = String(gauge.limit);
	headers[remaining] = String(gauge.remaining(now));
	const untilFull = gauge.untilFull(now);
	headers[reset] = isAnthropic ? secondOf(clock.now() + untilFull) : duration(untilFull);
};

/** Headers for a protocol: Anthropic's for `messages`, none for `generate-content`, which has none, OpenAI's otherwise. */
export const limitHeaders = (
	protocol: string,
	{ requests, tokens }: Pick<Meter, "requests" | "tokens">,
	clock: Clock,
): Headers => {
	const headers: Headers = {};
	if (protocol === "generate-content") return headers;
	if (requests) write(headers, "requests", requests, protocol, clock);
	if (tokens) write(headers, "tokens", tokens, protocol, clock);
	return headers;
};
