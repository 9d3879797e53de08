/** What the answers of OpenAI and its kin say of tokens. */
import { asCount, asRecord, type Usage } from "#core";

export const tokensTold = (body: unknown): Usage | undefined => {
	const { prompt_tokens: prompt, total_tokens: all } = asRecord(asRecord(body)["usage"]);
	const total = asCount(prompt) || asCount(all);
	return total === undefined || total === 0 ? undefined : { input: { total }, output: { total: 0 } };
};
