/** Log probabilities of tokens. */
import { asList, asNumber, asRecord, asText, type TokenLogprob } from "#core";

const bytesOf = (value: unknown): readonly number[] | null =>
	Array.isArray(value) ? value.filter((byte): byte is number => typeof byte === "number") : null;

const decodeOne = (value: unknown): Omit<TokenLogprob, "top"> | undefined => {
	const item = asRecord(value);
	const token = asText(item["token"]);
	const logprob = asNumber(item["logprob"]);
	if (token === undefined || logprob === undefined) return undefined;
	return { token, logprob, bytes: bytesOf(item["bytes"]) };
};

/** The `content` list of a choice's `logprobs`. */
export const decodeLogprobs = (value: unknown): TokenLogprob[] =>
	asList(asRecord(value)["content"]).flatMap((item) => {
		const chosen = decodeOne(item);
		if (chosen === undefined) return [];
		return { ...chosen, top: asList(asRecord(item)["top_logprobs"]).flatMap((other) => decodeOne(other) ?? []) };
	});

/** OpenAI's form; bytes that are not known are null. */
export const encodeLogprobs = (items: readonly TokenLogprob[]) =>
	items.map(({ token, logprob, bytes, top }) => ({
		token,
		logprob,
		bytes: bytes ?? null,
		top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: other.bytes ?? null })),
	}));
