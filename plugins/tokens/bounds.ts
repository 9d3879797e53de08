/** What a token may have when it belongs to somebody: never more than its owner, whatever was stored and whenever. */
import { type Denial, deny, Fault, invalidParameter, type TokenOwner } from "#core";
import type { Owner } from "../people/service.ts";
import { checkSettings, compileSettings, type KnownSettings, type Settings, unenforceable } from "./settings.ts";

const refuse = (message: string, code: string): { readonly denial: Denial } => ({
	denial: deny("authentication", message, { code }),
});

/** The person as policies see them, or why none of their tokens may be used: a ceiling or a budget that nobody here keeps. */
export const ownerOfTokens = (
	{ id, ceiling, budgets }: Owner,
	known: KnownSettings,
): TokenOwner | { readonly denial: Denial } => {
	// Kept by whoever keeps quotas.
	if (ceiling !== undefined && !known.has("quota")) return { denial: unenforceable("ceiling") };
	const owner = { id, ...(ceiling !== undefined && { ceiling }) };
	if (budgets === undefined) return owner;
	const shared = compileSettings({ budgets }, known);
	return "denial" in shared ? shared : { ...owner, compiled: shared.compiled };
};

/** The settings that count for a token of this person, or why it may not be used at all. */
export const boundedBy = (
	person: Owner | undefined,
	settings: Settings,
	known: KnownSettings,
): { readonly settings: Settings; readonly owner: TokenOwner } | { readonly denial: Denial } => {
	if (!person)
		return refuse(
			"This API key belongs to somebody whom this server does not know; so it refuses the key. Ask the operator.",
			"owner_unknown",
		);
	if (person.disabled)
		return refuse("The owner of this API key may not use this server any more. Ask the operator.", "owner_disabled");
	const counting: Record<string, unknown> = { ...settings };
	for (const [key, limit] of Object.entries(person.limits)) {
		const value = settings[key] === undefined ? limit : known.get(key)?.narrow?.(settings[key], limit);
		if (value === undefined)
			return refuse(`Nothing is left of this API key's "${key}" within what its owner may have.`, "owner_limit");
		counting[key] = value;
	}
	const owner = ownerOfTokens(person, known);
	return "denial" in owner ? owner : { settings: counting, owner };
};

/** Throws `Fault` for a setting that goes beyond what the owner may have. */
export const refuseBeyond = (given: Settings, limits: Settings, known: KnownSettings): void => {
	for (const [key, limit] of Object.entries(limits)) {
		const value = given[key];
		if (value === undefined || value === null) continue;
		const within = known.get(key)?.narrow?.(value, limit);
		if (JSON.stringify(within) === JSON.stringify(value)) continue;
		const message = `"${key}" goes beyond what the token's owner may have: at most ${JSON.stringify(limit)}.`;
		throw new Fault(deny("permission", message, { code: "beyond_owner", parameter: key }));
	}
};

/** Throws `Fault` for limits of a person that no policy could keep. */
export const checkLimits = (limits: Settings, known: KnownSettings): void => {
	checkSettings(limits, known);
	for (const key of Object.keys(limits))
		if (!known.get(key)?.narrow)
			throw invalidParameter(
				key,
				`"${key}" cannot be a limit of a person: its policy does not say what less of it is.`,
			);
};
