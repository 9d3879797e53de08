/** Token settings belong to the policies that enforce them; this gathers, checks and compiles them. */
import {
	complaintOf,
	type Denial,
	deny,
	describe,
	invalidParameter,
	type Log,
	type Policy,
	type TokenSetting,
} from "#core";

export type Settings = Readonly<Record<string, unknown>>;

/** What tokens may carry, by key, as the loaded policies own it. */
export type KnownSettings = ReadonlyMap<string, TokenSetting<unknown>>;

export const settingsOf = (policies: readonly Policy[]): KnownSettings =>
	new Map(policies.flatMap(({ setting }) => (setting ? [[setting.key, setting] as const] : [])));

/** Throws `Fault` for a setting nobody enforces or whose value its policy cannot take. `null` removes a setting. */
export const checkSettings = (given: Settings, known: KnownSettings): void => {
	for (const [key, value] of Object.entries(given)) {
		// Removing one is always allowed: else a token whose rule's plugin is gone could never be let in again.
		if (value === null) continue;
		const setting = known.get(key);
		if (!setting)
			throw invalidParameter(
				key,
				`"${key}" is not a token setting here; known are ${["name", ...known.keys()].join(", ")}. A setting comes with the plugin that enforces it.`,
			);
		const complaint = complaintOf(setting.schema, value);
		if (complaint)
			throw invalidParameter(key, `"${key}${complaint.path && `.${complaint.path}`}": ${complaint.message}.`);
		const words = setting.refuse?.(value);
		if (words !== undefined) throw invalidParameter(key, `"${key}": ${words}`);
	}
};

/** Fail closed: a rule that cannot be applied refuses the token, whatever else it may. */
export const unenforceable = (key: string, advice = "Ask the operator to switch its plugin on."): Denial =>
	deny(
		"permission",
		`This token carries the rule "${key}", which this server cannot apply; so it refuses the token. ${advice}`,
		{ code: "policy_not_loaded" },
	);

/** Every setting turned into what its policy checks with, or why the token cannot be used; `token` is whose they are. */
export const compileSettings = (
	settings: Settings,
	known: KnownSettings,
	token?: { readonly id: string; readonly log: Log },
): { readonly compiled: ReadonlyMap<string, unknown> } | { readonly denial: Denial } => {
	const compiled = new Map<string, unknown>();
	for (const [key, value] of Object.entries(settings)) {
		const setting = known.get(key);
		if (!setting) {
			token?.log.error("no plugin enforces a token's setting; the token is refused", { token: token.id, setting: key });
			return { denial: unenforceable(key) };
		}
		try {
			const made = setting.compile(value);
			// No comparison with a promise holds: the rule that makes it would refuse nothing.
			if (made instanceof Promise) throw new TypeError("compile() answered a promise; it is to answer at once");
			// The checks would take the token for one without the setting.
			if (made === undefined) throw new TypeError("compile() answered nothing; what it answers is what the checks get");
			compiled.set(key, made);
		} catch (error) {
			const said = { token: token?.id, setting: key, error: describe(error) };
			token?.log.error("a token's setting could not be compiled; the token is refused", said);
			return { denial: unenforceable(key, "Ask the operator: the log says why.") };
		}
	}
	return { compiled };
};
