/** A finished call as its row, and a charge that no finished call explains. */
import { type AttemptRecord, type CallRecord, withoutKeys } from "#core";
import type { Correction, TaskCharge } from "../quota/service.ts";
import type { LedgerRow } from "./tables.ts";
import { tagText } from "./tags.ts";
import { spanOf } from "./time-taken.ts";

const longestName = 256;
const longestList = 1_000;
const longestMessage = 500;

/** No call has more tokens: sums of what an upstream told wrongly must stay numbers. */
const mostTokens = 1_000_000_000;
const counted = (tokens = 0): number => Math.min(tokens, mostTokens);

/** Names beside those of the config that sums are kept for. */
const mostNames = 10_000;

/**
 * `cost` and `excess` in micro-dollars; the cost is null when no price is known. `names`: the models that have sums of their own, to
 * which one is added that was answered. Where a pattern passes names through, clients make up as many as they like, and sums are
 * kept for ever: of any other name the row alone tells, in its detail.
 */
export const rowOf = (call: CallRecord, names: Set<string>): LedgerRow => {
	const { outcome, token, charge } = call;
	const { usage } = outcome;
	const model = call.model?.slice(0, longestName);
	if (model !== undefined && outcome.ending === "completed" && names.size < mostNames) names.add(model);
	const isSummed = model !== undefined && names.has(model);
	return {
		id: call.id,
		at: call.at,
		token: token?.id ?? null,
		model: isSummed ? model : null,
		upstream: outcome.target?.upstream.name ?? null,
		ending: outcome.ending,
		input_tokens: counted(usage?.input.total),
		cached_tokens: counted(usage?.input.cacheRead),
		output_tokens: counted(usage?.output.total),
		reasoning_tokens: counted(usage?.output.reasoning),
		cost: charge?.charged ?? (usage ? null : 0),
		excess: charge?.excess ?? 0,
		request: call.requestId === undefined || call.requestId === call.id ? null : call.requestId,
		protocol: call.protocol,
		status: call.status,
		tags: call.tags ? tagText(call.tags) : null,
		took_span: spanOf(outcome.ending, call.durationMs),
		detail: JSON.stringify(detailOf(call, isSummed ? undefined : model)),
	};
};

const cameLater = ({ skipped }: AttemptRecord): boolean => skipped.length > 0;

/** One good attempt tells nothing that the row does not say. */
const matters = ({ attempts, outcome }: CallRecord): boolean =>
	attempts.length > 1 || attempts.some(cameLater) || (attempts.length > 0 && outcome.ending !== "completed");

const attemptOf = ({ skipped, durationMs, firstByteMs, ...rest }: AttemptRecord) => ({
	...rest,
	durationMs: Math.round(durationMs),
	...(firstByteMs !== undefined && { firstByteMs: Math.round(firstByteMs) }),
	...(skipped.length > 0 && { skipped }),
});

/** What is undefined is left out by JSON. */
const detailOf = (call: CallRecord, asked: string | undefined) => {
	const { outcome, token, losses } = call;
	const { usage, target } = outcome;
	// Whoever left was told nothing.
	const denial = outcome.ending === "client_left" ? undefined : outcome.denial;
	return {
		tokenName: token?.name,
		asked,
		operation: call.operation,
		target: target?.model,
		stream: call.stream,
		reason: denial ? (denial.code ?? denial.kind) : undefined,
		stopped: outcome.stopped,
		cacheWriteTokens: usage?.input.cacheWrite,
		estimated: usage?.estimated,
		attempts: matters(call) ? call.attempts.map(attemptOf) : call.attempts.length,
		firstByteMs: call.firstByteMs === undefined ? undefined : Math.round(call.firstByteMs),
		durationMs: Math.round(call.durationMs),
		dropped: losses.length > 0 ? dropped(losses) : undefined,
		message: denial?.message.slice(0, longestMessage),
		key: call.keyDigest,
		repeats: call.repeats,
		address: call.address,
	};
};

const dropped = (losses: CallRecord["losses"]): string =>
	losses
		.map(({ path }) => path)
		.join(",")
		.slice(0, longestList);

const noCall = { request: null, protocol: null, status: null, tags: null, took_span: null };
const noTokens = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };

/** The row of a charge without a finished call: a crash, a node that was given up, the same put right. */
export const correctionRow = ({ id, tokenId, amount, reason, at, model }: Correction): LedgerRow => ({
	id,
	at,
	token: tokenId,
	model: model ?? null,
	upstream: null,
	ending: reason,
	...noTokens,
	cost: amount,
	excess: 0,
	...noCall,
	detail: "{}",
});

/** The row of a finished task. */
export const taskRow = (task: TaskCharge): LedgerRow => ({
	id: task.id,
	at: task.at,
	token: task.tokenId,
	model: withoutKeys(task.model).slice(0, longestName),
	upstream: task.upstream,
	ending: task.succeeded ? "completed" : "failed",
	...noTokens,
	cost: task.charged ?? null,
	excess: 0,
	...noCall,
	protocol: "tasks",
	tags: task.tags ? tagText(task.tags) : null,
	detail: JSON.stringify({
		operation: task.kind,
		durationMs: Math.round(task.durationMs),
		reason: task.failure?.code,
		message: task.failure?.reason.slice(0, longestMessage),
		address: task.address,
	}),
});
