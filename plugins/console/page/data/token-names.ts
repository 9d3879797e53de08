/** Names of tokens by their ids, for tables that know only ids, and for whoever chooses one. */
import { text, wires } from "./read.ts";
import { useAnswer } from "./use-answer.ts";

export interface NamedToken {
	readonly id: string;
	readonly name: string;
}

export interface NamedTokens {
	/** By name. */
	readonly tokens: readonly NamedToken[];
	/** What stands below them where there are more. */
	readonly more: string | undefined;
}

export const useNamedTokens = (): NamedTokens => {
	const { data } = useAnswer("/admin/tokens?limit=1000", false);
	const tokens = (data ? wires(data, "data") : []).map((one) => ({
		id: text(one, "id") ?? "",
		name: text(one, "name") ?? "",
	}));
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
