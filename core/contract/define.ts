/** `definePlugin`: how every plugin is made, a built-in one too. */
import type { Static, TObject } from "@sinclair/typebox";
import type { Log } from "./log.ts";
import type { Needs, Offer, PluginToken, Resolved } from "./token.ts";

/** What `setup` is given. `name` is the instance's name: the plugin's own, or the `as` of the config file. */
export interface PluginContext<C, N extends Needs> {
	readonly name: string;
	readonly config: C;
	readonly needs: Resolved<N>;
	readonly log: Log;
}

/** A mistake in one of a plugin's settings. `at`: keys and indexes from the plugin's `with` down to it, so that the line is told. */
export interface SettingMistake {
	readonly at: readonly (string | number)[];
	readonly message: string;
}

/** What `setup` returns. `start` opens timers and sockets, `stop` ends them; `stop` may come without `start`, and more than once. */
export interface Contribution {
	readonly offers?: readonly Offer[];
	/** Called once everything is set up and slots can be read: what is wrong, in words an operator can act on. */
	check?(): readonly (string | SettingMistake)[];
	start?(): Promise<void> | void;
	/**
	 * Plugins stop one after the other, givers after those that need them. A stop of the process waits for each until
	 * `server.drainSeconds` are over and ten seconds more; after the first of these ten the next plugin stops beside it.
	 */
	stop?(): Promise<void> | void;
}

/** A plugin as its author writes it. `setup` is pure wiring: it must not open a file, a socket or a timer. */
export interface PluginSpec<S extends TObject, N extends Needs> {
	/** kebab-case, the name of its folder or package. */
	readonly name: string;
	/** One sentence, shown by `portico plugins`. */
	readonly summary: string;
	/** The schema of the plugin's `with`; closed, every setting with a `description`. */
	readonly config: S;
	/** Services it uses and slots it reads. */
	readonly needs?: N;
	/** Tokens its offers may name; an offer outside this list is refused. */
	readonly gives?: readonly PluginToken[];
	setup(context: PluginContext<Static<S>, N>): Contribution | Promise<Contribution>;
}

/** A plugin without the types of its own config and needs, as the host keeps it. */
export interface Plugin extends Required<Omit<PluginSpec<TObject, Needs>, "setup">> {
	readonly portico: 1;
	setup(context: PluginContext<unknown, Needs>): Contribution | Promise<Contribution>;
}

/**
 * Makes a plugin of its description. The config is checked against `spec.config` and every need resolved before `setup` runs, which is
 * what makes the one cast here true.
 *
 * @example
 * export default definePlugin({
 * 	name: "greeting",
 * 	summary: "Says hello at /hello.",
 * 	config: t.Object({ word: t.String({ description: "What it says." }) }, { additionalProperties: false }),
 * 	gives: [routes],
 * 	setup: ({ config: { word }, name }) => ({
 * 		offers: [add(routes, { method: "GET", path: "/hello", access: "public", summary: name, handle: () => new Response(word) })],
 * 	}),
 * });
 */
export const definePlugin = <S extends TObject, const N extends Needs = Record<never, never>>(
	spec: PluginSpec<S, N>,
): Plugin => ({
	...spec,
	portico: 1,
	needs: spec.needs ?? {},
	gives: spec.gives ?? [],
	// Plain JavaScript may have none: the host tells its author so.
	setup:
		typeof spec.setup === "function"
			? (context) => spec.setup(context as unknown as PluginContext<Static<S>, N>)
			: spec.setup,
});
