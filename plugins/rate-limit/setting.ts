/** The token setting `rateLimit`, and the same limits as config has them for models. */
import { asCount, definedOnly, isRecord, patternLookup, type Static, type TokenSetting, t } from "#core";
import type { Limits } from "./meter.ts";

const limit = (description: string) => t.Optional(t.Integer({ minimum: 1, maximum: 1_000_000_000_000, description }));

const limitsSchema = (description: string, form?: Readonly<Record<string, unknown>>) =>
	t.Object(
		{
			requestsPerMinute: limit("Calls in a minute."),
			tokensPerMinute: limit("Model tokens in a minute, input and output together."),
			concurrent: limit("Calls that run at the same time."),
		},
		{ additionalProperties: false, minProperties: 1, description, ...(form && { form }) },
	);

export const rateConfig = t.Object(
	{
		models: t.Optional(
			t.Record(t.String({ minLength: 1, maxLength: 256 }), limitsSchema("The limits of the models of that name."), {
				description:
					"Limits by the asked model's name, or by pattern with `*`, for all tokens together; exact names first, then patterns as written.",
			}),
		),
		nodes: t.Optional(
			t.Integer({
				minimum: 1,
				description:
					"How many nodes share the work. On one database server they keep limits together, and while it is away each lets its part through; without this number calls that need a limit are then refused. On files of their own each lets its part through.",
			}),
		),
	},
	{ additionalProperties: false },
);

export type RateConfig = Static<typeof rateConfig>;

const read = (value: unknown): Limits | undefined => {
	if (!isRecord(value)) return undefined;
	const { requestsPerMinute, tokensPerMinute, concurrent, ...strange } = value;
	const given = [requestsPerMinute, tokensPerMinute, concurrent].filter((one) => one !== undefined);
	if (given.length === 0 || Object.keys(strange).length > 0 || given.some((one) => !asCount(one))) return undefined;
	return definedOnly({
		requestsPerMinute: asCount(requestsPerMinute),
		tokensPerMinute: asCount(tokensPerMinute),
		concurrent: asCount(concurrent),
	});
};

const fields = ["requestsPerMinute", "tokensPerMinute", "concurrent"] as const;

const words: Readonly<Record<keyof Limits, readonly [thing: string, within: string]>> = {
	requestsPerMinute: ["request", "a minute"],
	tokensPerMinute: ["model token", "a minute"],
	concurrent: ["call", "at once"],
};

/** `60 requests a minute`. */
export const limitInWords = (what: keyof Limits, amount: number): string =>
	`${amount} ${words[what][0]}${amount === 1 ? "" : "s"} ${words[what][1]}`;

/** No limit of a kind is more than any. */
const isWithin = (own: Limits, most: Limits): boolean =>
	fields.every((field) => most[field] === undefined || (own[field] ?? Number.POSITIVE_INFINITY) <= most[field]);

const lesser = (own: Limits, most: Limits): Limits =>
	Object.fromEntries(
		fields.flatMap((field) => {
			const least = Math.min(own[field] ?? Number.POSITIVE_INFINITY, most[field] ?? Number.POSITIVE_INFINITY);
			return least === Number.POSITIVE_INFINITY ? [] : [[field, least]];
		}),
	);

const complaint = "must have some of requestsPerMinute, tokensPerMinute and concurrent, each a whole number from 1";

export const rateLimit: TokenSetting<Limits> = {
	key: "rateLimit",
	schema: limitsSchema('Limits of the token: {"requestsPerMinute":60, "tokensPerMinute":100000, "concurrent":4}.', {
		note: "For this token alone. Empty: no limit.",
	}),
	refuse: (value) => (read(value) ? undefined : complaint),
	narrow: (value, limit) => {
		const [own, most] = [read(value), read(limit)];
		return own && most ? (isWithin(own, most) ? value : lesser(own, most)) : undefined;
	},
	inWords: (value) => {
		const limits: Limits = read(value) ?? {};
		return fields.flatMap((what) => (limits[what] === undefined ? [] : [limitInWords(what, limits[what])])).join(", ");
	},
	compile(value) {
		const limits = read(value);
		if (!limits) throw new TypeError(`rateLimit ${complaint}`);
		return limits;
	},
};

/** The limits of a model for everybody together, and the name or pattern under which they are written and kept. */
export interface ModelLimits {
	readonly name: string;
	readonly limits: Limits;
}

export const modelLimitsOf = (models: RateConfig["models"] = {}) =>
	patternLookup(Object.entries(models).map(([name, limits]): [string, ModelLimits] => [name, { name, limits }]));
