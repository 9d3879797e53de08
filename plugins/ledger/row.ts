/** A finished call as its row. */
import type { CallRecord, Usage } from "#core";
import type { LedgerRow } from "./tables.ts";

/** `cost` in micro-dollars, when a price is known. */
export const rowOf = (call: CallRecord, cost: number | undefined): LedgerRow => {
	const { outcome, token } = call;
	const { usage, target, denial } = outcome;
	return {
		id: call.id,
		at: call.at,
		token: token?.id ?? null,
		tokenName: token?.name ?? null,
		protocol: call.protocol,
		operation: call.operation,
		model: call.model?.slice(0, 256) ?? null,
		upstream: target?.upstream.name ?? null,
		target: target?.model ?? null,
		stream: call.stream,
		status: call.status,
		ending: outcome.ending,
		reason: denial ? (denial.code ?? denial.kind) : null,
		...tokensOf(usage),
		cost: cost ?? null,
		attempts: call.attempts,
		firstByteMs: call.firstByteMs === undefined ? null : Math.round(call.firstByteMs),
		durationMs: Math.round(call.durationMs),
		dropped:
			call.losses.length > 0
				? call.losses
						.map(({ path }) => path)
						.join(",")
						.slice(0, 1000)
				: null,
		address: call.address ?? null,
	};
};

const tokensOf = (usage: Usage | undefined) => ({
	inputTokens: usage?.input.total ?? 0,
	cachedTokens: usage?.input.cacheRead ?? 0,
	cacheWriteTokens: usage?.input.cacheWrite ?? 0,
	outputTokens: usage?.output.total ?? 0,
	reasoningTokens: usage?.output.reasoning ?? 0,
	estimated: usage?.estimated ?? false,
});
