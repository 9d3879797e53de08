/** The token setting `models`: which models a token may ask for. */
import {
	type Denial,
	matchesPattern,
	narrowList,
	patternLookup,
	type Routed,
	type TokenSetting,
	t,
	unknownModel,
} from "#core";

/** What a list of models was compiled to. */
export interface AllowedModels {
	allows(name: string): boolean;
}

/** A `*` of the narrower pattern can only be met by a `*` of the wider one, so a pattern may be read as a name here. */
const within = (entry: string, list: readonly string[]): boolean => list.some((wider) => matchesPattern(wider, entry));

/** An empty list allows everything. */
export const allowedModels = (entries: readonly string[]): AllowedModels => {
	const listed = patternLookup(entries.map((entry) => [entry, true]));
	return { allows: (name) => entries.length === 0 || listed(name) === true };
};

const isList = (value: unknown): value is readonly string[] =>
	Array.isArray(value) && value.every((entry) => typeof entry === "string" && entry !== "");

export const models: TokenSetting<AllowedModels> = {
	key: "models",
	schema: t.Array(t.String({ minLength: 1, maxLength: 256 }), {
		maxItems: 500,
		description: "Models the token may ask for: exact names, or patterns with `*`. Empty: all.",
		form: { label: "Models", order: 2 },
	}),
	refuse: (value) => (isList(value) ? undefined : 'must be a list of model names, such as ["gpt-*", "fast"]'),
	narrow: (value, limit) => (isList(value) && isList(limit) ? narrowList(value, limit, within) : undefined),
	compile(value) {
		if (!isList(value)) throw new TypeError("models must be a list of model names");
		return allowedModels(value);
	},
};

/** The asked name is allowed, or whatever the call may reach is: then an alias hides nothing that is not allowed. */
export const refuseModel = (call: Routed, allowed: AllowedModels | undefined): Denial | undefined => {
	const { model, targets } = call;
	return !allowed || allowed.allows(model.name) || allowsAll(allowed, targets) ? undefined : unknownModel(model.name);
};

const allowsAll = (allowed: AllowedModels, targets: Routed["targets"]): boolean =>
	targets.every(({ model }) => allowed.allows(model));
