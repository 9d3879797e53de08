/** The sums as a table for spreadsheets. */
import type { Sum } from "./sums.ts";

export const csvRows = (sums: readonly Sum[], by: string, personName: (id: string) => string) => [
	[
		by,
		"token",
		"token name",
		"person",
		"model",
		"upstream",
		"calls",
		"completed",
		"input tokens",
		"cached tokens",
		"output tokens",
		"dollars",
	],
	...sums.map(({ of, ...sum }) => [
		of[by] ?? "",
		of["token"] ?? "",
		of["tokenName"] ?? of["token"] ?? "",
		personName(of["owner"] ?? ""),
		of["model"] ?? "",
		of["upstream"] ?? "",
		sum.calls,
		sum.completed,
		sum.inputTokens,
		sum.cachedTokens,
		sum.outputTokens,
		sum.cost,
	]),
];
