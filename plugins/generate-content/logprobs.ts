/** `logprobsResult`: what was chosen at each step and what else could have been. */
import { asList, asNumber, asRecord, asText, isRecord, type TokenLogprob } from "#core";

const tokenOf = (entry: unknown): { readonly token: string; readonly logprob: number } | undefined => {
	const { token, logProbability } = asRecord(entry);
	const text = asText(token);
	return text === undefined ? undefined : { token: text, logprob: asNumber(logProbability) ?? 0 };
};

/** The steps; empty when there are none. */
export const decodeLogprobs = (result: unknown): readonly TokenLogprob[] => {
	if (!isRecord(result)) return [];
	const tops = asList(result["topCandidates"]);
	return asList(result["chosenCandidates"]).flatMap((entry, at) => {
		const chosen = tokenOf(entry);
		if (!chosen) return [];
		const top = asList(asRecord(tops[at])["candidates"]).flatMap((other) => tokenOf(other) ?? []);
		return [{ ...chosen, top }];
	});
};

/** The steps as `logprobsResult`. */
export const encodeLogprobs = (items: readonly TokenLogprob[]) => ({
	chosenCandidates: items.map(({ token, logprob }) => ({ token, logProbability: logprob })),
	...(items.some(({ top }) => top.length > 0) && {
		topCandidates: items.map(({ top }) => ({
			candidates: top.map(({ token, logprob }) => ({ token, logProbability: logprob })),
		})),
	}),
});
