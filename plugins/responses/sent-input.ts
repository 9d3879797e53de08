/** What of a put-together input its client sent: not a kept conversation before it, nor reasoning that it left out. */
import type { ModelAsk } from "#core";

export type PutIn = Pick<ModelAsk, "continues" | "broughtBack">;

/** Where each item stands in what the client sent: nowhere, where it was brought back. */
export const placesOf = (input: readonly unknown[], { continues, broughtBack }: PutIn): readonly string[] => {
	const kept = continues?.items ?? 0;
	let sent = 0;
	return input.map((_, index) => {
		if (index < kept) return "previous_response_id";
		return broughtBack?.has(`input[${index}]`) ? "" : `input[${sent++}]`;
	});
};

/** The input without what was brought back. */
export const withoutBroughtBack = (input: readonly unknown[], { broughtBack }: PutIn): readonly unknown[] =>
	broughtBack === undefined ? input : input.filter((_, index) => !broughtBack.has(`input[${index}]`));
