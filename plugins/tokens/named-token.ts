/** Which token is meant by the words of a command: an id, a name, or a key, which is sent nowhere. */
import { asList, asRecord, asText, type CallAdmin, refuseCommand } from "#core";
import { looksLikeKey, previewOf } from "./key.ts";

export type Listed = Readonly<Record<string, unknown>>;

/** Page by page, as the server gives them: by id, which tells nobody anything. */
export const listAll = async (call: CallAdmin): Promise<readonly Listed[]> => {
	const tokens: Listed[] = [];
	for (let after = ""; ; after = asText(tokens.at(-1)?.["id"]) ?? "") {
		const page = asRecord(await call("GET", `/admin/tokens?limit=1000&after=${encodeURIComponent(after)}`));
		tokens.push(...asList(page["data"]).map(asRecord));
		if (page["hasMore"] !== true) return tokens;
	}
};

/** The id of the one token of that name or, as of a leaked key, of that key; what may be an id is taken for one. */
export const idOf = async (words: string, call: CallAdmin): Promise<string> => {
	if (words === "" || words.startsWith("tok_")) return words;
	const known = await listAll(call);
	const isKey = looksLikeKey(words);
	const shown = isKey ? previewOf(words) : words;
	const [id, ...more] = known
		.filter(({ name, preview }) => preview === shown || (!isKey && name === words))
		.map((token) => String(token["id"]));
	if (more.length > 0)
		return refuseCommand(`several tokens are called "${shown}": say which by its id (${[id, ...more].join(", ")})`);
	return (
		id ??
		(isKey ? refuseCommand(`no token has the key ${shown}: it was rotated or deleted, or is another gateway's`) : words)
	);
};

/** For `--token` of a list: a key becomes the id of its token, and a name stays one, for those of deleted tokens are the server's to know. */
export const withoutKey = async (words: string | undefined, call: CallAdmin): Promise<{ readonly token?: string }> => {
	if (words === undefined) return {};
	return { token: looksLikeKey(words) ? await idOf(words, call) : words };
};
