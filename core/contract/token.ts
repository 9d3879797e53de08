/**
 * The two nouns of the extension system. A `Service` is given by exactly one plugin, a `Slot` is added to by many.
 * Types ride on these tokens: whoever holds the token knows what it carries, and nothing is declared globally.
 */
declare const carries: unique symbol;

/** Something exactly one plugin gives and any other may need: `router`, `ledger`, `webhooks` … */
export interface Service<T> {
	readonly kind: "service";
	readonly id: string;
	readonly [carries]?: T;
}

/** A list many plugins add to, kept in config order: `protocols`, `policies`, `routes` … */
export interface Slot<T> {
	readonly kind: "slot";
	readonly id: string;
	readonly [carries]?: T;
}

/** A service that is used when some plugin gives it, and done without otherwise. */
export interface Maybe<T> {
	readonly kind: "maybe";
	readonly id: string;
	readonly of: Service<T>;
}

/** What a plugin may need or give. */
export type PluginToken = Service<unknown> | Slot<unknown> | Maybe<unknown>;
/** What a plugin needs, by the names it uses itself. */
export type Needs = Readonly<Record<string, PluginToken>>;

/**
 * What `setup` receives for its `needs`: the service itself, `undefined` for an absent `maybe`, and for a slot a
 * function that lists its items. A slot may be read only after set-up (in `start`, or while a call is served).
 */
export type Resolved<N extends Needs> = {
	readonly [K in keyof N]: N[K] extends Service<infer T>
		? T
		: N[K] extends Slot<infer T>
			? () => readonly T[]
			: N[K] extends Maybe<infer T>
				? T | undefined
				: never;
};

/** One thing a plugin offers, as plain data that the host lists, checks and drops: the value of a service, or an item for a slot. */
export interface Offer {
	readonly token: Service<unknown> | Slot<unknown>;
	readonly value: unknown;
}

/**
 * Names a new service. `id` is unique in one gateway; prefix it with the plugin's name (`tasks.kinds`).
 *
 * @example
 * export const weather = service<Weather>("my-plugin.weather"); // in service.ts, for others to import
 */
export const service = <T>(id: string): Service<T> => ({ kind: "service", id });

/**
 * Names a new slot.
 *
 * @example
 * export const forecasts = slot<Forecast>("my-plugin.forecasts");
 */
export const slot = <T>(id: string): Slot<T> => ({ kind: "slot", id });

/**
 * Marks a needed service as optional.
 *
 * @example
 * needs: { prices: maybe(prices) }, // needs.prices is undefined where no plugin gives it
 */
export const maybe = <T>(of: Service<T>): Maybe<T> => ({ kind: "maybe", id: of.id, of });

/**
 * Offers the one value of a service.
 *
 * @example
 * offers: [provide(weather, { today: () => "rain" })],
 */
export const provide = <T>(token: Service<T>, value: NoInfer<T>): Offer => ({ token, value });

/**
 * Offers one more item to a slot.
 *
 * @example
 * offers: [add(policies, policy), add(routes, route)],
 */
export const add = <T>(token: Slot<T>, value: NoInfer<T>): Offer => ({ token, value });
