/** Tokens that another authenticator vouches for (a company's JWT): their settings are held to as those of Portico's own. */
import { type AccessToken, isFault, type Policy, type RefusedToken, type Statement } from "#core";
import { checkSettings, compileSettings, type Settings, settingsOf, unenforceable } from "./settings.ts";
import { statementsFor, withoutNulls } from "./stored-token.ts";

/** What is said of a token. `id` must not begin with `tok_`, as those of Portico's own do. */
export type Vouched = Pick<AccessToken, "id" | "name" | "owner" | "settings">;

/**
 * The token, or its refusal where a setting has a value that its policy does not take, or no policy. Keep what it gives for
 * as long as the same is said: what policies ask of a token is worked out once for each object.
 *
 * @example
 * needs: { policies, store },
 * // in `identify`, for a key that was not seen yet, or says something else than before:
 * await store.write(vouchedSettings(policies(), said));
 * return vouchedToken(policies(), said);
 */
export const vouchedToken = (policies: readonly Policy[], said: Vouched): AccessToken | RefusedToken => {
	const known = settingsOf(policies);
	const settings = withoutNulls(said.settings);
	const refused = { id: said.id, name: said.name };
	try {
		checkSettings(settings, known);
	} catch (error) {
		if (!isFault(error)) throw error;
		return { denial: unenforceable(error.denial.parameter ?? "", error.message), refused };
	}
	const made = compileSettings(settings, known);
	return "denial" in made ? { ...made, refused } : { ...said, settings, compiled: made.compiled };
};

/**
 * What policies keep beside a token, for the batch that comes before its first call, and again when its settings have
 * changed: until then a quota stays what it was.
 */
export const vouchedSettings = (policies: readonly Policy[], { id, settings }: Vouched): readonly Statement[] => {
	const known = settingsOf(policies);
	const none: Settings = Object.fromEntries([...known.keys()].map((key) => [key, null]));
	return statementsFor(id, { ...none, ...settings }, known);
};
