/** A row of the ledger as operators see it. Money in dollars, times as ISO dates. */
import { asList, asNumber, asRecord, asText, parseJson, toDollars, type WireRecord } from "#core";

type Row = Readonly<Record<string, unknown>>;

const time = (at: unknown): string => new Date(asNumber(at) ?? 0).toISOString();

/** Every attempt; of a call whose first attempt was good the row tells what there is to tell. */
const attemptsOf = (row: Row, detail: WireRecord): readonly WireRecord[] => {
	if (Array.isArray(detail["attempts"]))
		return asList(detail["attempts"])
			.map(asRecord)
			.map((attempt) => ({ skipped: [], ...attempt, startedAt: time(attempt["startedAt"]) }));
	if ((asNumber(detail["attempts"]) ?? 0) === 0) return [];
	const durationMs = asNumber(detail["durationMs"]) ?? 0;
	return [
		{
			upstream: row["upstream"],
			model: detail["target"],
			skipped: [],
			startedAt: time((asNumber(row["at"]) ?? 0) - durationMs),
			durationMs,
			status: 200,
		},
	];
};

const dollars = (microDollars: unknown): number | null => {
	const amount = asNumber(microDollars);
	return amount === undefined ? null : toDollars(amount);
};

export const callView = (row: Row): WireRecord => {
	const detail = asRecord(parseJson(asText(row["detail"]) ?? "{}"));
	const { tokenName, asked, attempts: _, dropped, ...more } = detail;
	return {
		id: row["id"],
		requestId: row["request"] ?? row["id"],
		at: time(row["at"]),
		token: row["token"],
		tokenName: tokenName ?? null,
		protocol: row["protocol"],
		model: row["model"] ?? asked ?? null,
		upstream: row["upstream"],
		ending: row["ending"],
		status: row["status"],
		...more,
		tags: asRecord(parseJson(asText(row["tags"]) ?? "{}")),
		attempts: attemptsOf(row, detail),
		dropped: asText(dropped)?.split(",") ?? [],
		inputTokens: row["input_tokens"],
		cachedTokens: row["cached_tokens"],
		outputTokens: row["output_tokens"],
		reasoningTokens: row["reasoning_tokens"],
		cost: dollars(row["cost"]),
		excess: dollars(row["excess"]),
	};
};
