/** What is shown of tokens: never their keys, always what policies and others add. */
import { type Clock, describe, isOutage, type Log, type TokenOwner, type TokenSetting } from "#core";
import type { People } from "../people/service.ts";
import { ownerOfTokens } from "./bounds.ts";
import type { TokenFacts } from "./service.ts";
import type { KnownSettings } from "./settings.ts";
import type { StoredToken } from "./stored-token.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What must be known of a token to show it. */
export type ShownToken = Pick<StoredToken, "id" | "name" | "settings" | "owner">;

export interface TokenViewParts {
	known(): KnownSettings;
	readonly people: People | undefined;
	facts(): readonly TokenFacts[];
	readonly clock: Pick<Clock, "after">;
	readonly log: Log;
}

/** How long what settings show is waited for, of all tokens together: the list is read by people. */
const patienceMs = 5000;

/** The fields. Throws where one is the token's own: whoever acts on what is shown would act on another token. */
const withoutOwn = (fields: Fields, token: ShownToken): Fields => {
	const own = Object.keys(fields).find((name) => name in token);
	if (own !== undefined) throw new TypeError(`view() tells "${own}", which is the token's own`);
	return fields;
};

/** Without what a setting failed to tell, or does not tell in time: a plugin's mistake hides no token. */
export const createTokenViews = ({ known, people, facts, clock, log }: TokenViewParts) => {
	/** The persons to whom they belong, by id, as policies see them. */
	const ownersOf = async (tokens: readonly ShownToken[]): Promise<ReadonlyMap<string, TokenOwner>> => {
		const ids = new Set(tokens.flatMap(({ owner }) => (owner === undefined ? [] : [owner])));
		const persons = await Promise.all([...ids].map(async (id) => await people?.owner(id)));
		const owners = persons.flatMap((person) => (person ? [ownerOfTokens(person, known())] : []));
		return new Map(owners.flatMap((owner) => ("denial" in owner ? [] : [[owner.id, owner] as const])));
	};

	const shownOf = async (tokens: readonly ShownToken[], late: Promise<never>): Promise<readonly Fields[]> => {
		const ids = tokens.map(({ id }) => id);
		const told = await Promise.all(facts().map((one) => one.about(ids)));
		const owners = await ownersOf(tokens);
		const failed = new Set<string>();

		const added = async ({ key, view }: TokenSetting<unknown>, token: ShownToken) => {
			const { id, settings, owner } = token;
			try {
				const fields = await Promise.race([view?.(id, settings[key], owners.get(owner ?? "")), late]);
				return withoutOwn(fields ?? {}, token);
			} catch (error) {
				if (isOutage(error)) throw error;
				if (!failed.has(key))
					log.error("what a setting shows of tokens is left out: it failed", { setting: key, error: describe(error) });
				failed.add(key);
				return undefined;
			}
		};

		const shown = tokens.map(async (token): Promise<Fields> => {
			const unenforced = Object.keys(token.settings).filter((key) => !known().has(key));
			const fields = { ...token, ...(unenforced.length > 0 && { unenforced }) };
			for (const setting of known().values()) if (setting.view) Object.assign(fields, await added(setting, token));
			return Object.assign(fields, ...told.map((by) => by.get(token.id)));
		});
		return await Promise.all(shown);
	};

	return async (tokens: readonly ShownToken[]): Promise<readonly Fields[]> => {
		const late = Promise.withResolvers<never>();
		// Nobody may be left to hear of it.
		late.promise.catch(() => undefined);
		const message = `view() has not answered after ${patienceMs / 1000} seconds`;
		const cancel = clock.after(patienceMs, () => late.reject(new Error(message)));
		try {
			return await shownOf(tokens, late.promise);
		} finally {
			cancel();
		}
	};
};
