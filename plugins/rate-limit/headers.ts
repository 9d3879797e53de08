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

const openai = (kind: string, gauge: Gauge, clock: Clock): Headers => {
	const now = clock.monotonic();
	return {
		[`x-ratelimit-limit-${kind}`]: String(gauge.limit),
		[`x-ratelimit-remaining-${kind}`]: String(gauge.remaining(now)),
		[`x-ratelimit-reset-${kind}`]: duration(gauge.untilFull(now)),
	};
};

const anthropic = (kind: string, gauge: Gauge, clock: Clock): Headers => {
	const now = clock.monotonic();
	const fullAt = Math.ceil((clock.now() + gauge.untilFull(now)) / 1000) * 1000;
	return {
		[`anthropic-ratelimit-${kind}-limit`]: String(gauge.limit),
		[`anthropic-ratelimit-${kind}-remaining`]: String(gauge.remaining(now)),
		[`anthropic-ratelimit-${kind}-reset`]: new Date(fullAt).toISOString().replace(".000Z", "Z"),
	};
};

/** Headers for a protocol: Anthropic's for `messages`, none for `generate-content`, which has none, OpenAI's otherwise. */
export const limitHeaders = (
	protocol: string,
	{ requests, tokens }: Pick<Meter, "requests" | "tokens">,
	clock: Clock,
): Headers => {
	if (protocol === "generate-content") return {};
	const write = protocol === "messages" ? anthropic : openai;
	return {
		...(requests && write("requests", requests, clock)),
		...(tokens && write("tokens", tokens, clock)),
	};
};
