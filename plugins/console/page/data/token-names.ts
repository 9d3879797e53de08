/** Names of tokens by their ids, for tables that know only ids, and for whoever chooses one. */
import { text, wires } from "./read.ts";
import { useAnswer } from "./use-answer.ts";

interface NamedToken {
	readonly id: string;
	readonly name: string;
	/** The name, with what is shown of the key where others are called the same. */
	readonly label: string;
}

interface NamedTokens {
	/** By name. */
	readonly tokens: readonly NamedToken[];
	/** What stands below them where there are more. */
	readonly more: string | undefined;
}

export const useNamedTokens = (): NamedTokens => {
	const { data } = useAnswer("/admin/tokens?limit=1000", false);
	const known = data ? wires(data, "data") : [];
	const called = Map.groupBy(known, (one) => text(one, "name") ?? "");
	const tokens = known.map((one) => {
		const [id, name] = [text(one, "id") ?? "", text(one, "name") ?? ""];
		const alone = called.get(name)?.length === 1;
		return { id, name, label: alone ? name : `${name} (${text(one, "preview") ?? id})` };
	});
	return {
		tokens: tokens.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true })),
		more: data?.["hasMore"] === true ? "There are more: find them under Tokens" : undefined,
	};
};

/** Gives the id itself for a token that is gone. */
export const useTokenNames = (): ((id: string) => string) => {
	const { tokens } = useNamedTokens();
	const names = new Map(tokens.map(({ id, name }) => [id, name]));
	return (id) => names.get(id) ?? id;
};
