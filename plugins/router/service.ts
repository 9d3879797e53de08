/** What plugins may use that bring upstreams over HTTP, or route in the place of this one. */
import { type AskedCall, slot } from "#core";
import { createLookup } from "./known-models.ts";

export { createHttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
export { mayFollow } from "./repeating.ts";
export type { UpstreamSetting } from "./settings.ts";

/** What is known of a model by its name, without what config and plugins add. */
export const capabilitiesOf = createLookup();

/**
 * Chooses by what a call says which of a model's targets is asked first. The others follow as they would, and one whose
 * upstream is left alone comes last all the same.
 *
 * @example
 * add(choosers, { model: "auto", choose: (call) => (call.prompt().tools ? "large" : "small") });
 */
export interface Chooser {
	/** The `name` of one of the config's models. */
	readonly model: string;
	/**
	 * The `model` of one of its targets, or the `upstream` where several have one model; undefined: as the config has it. Told at
	 * once, before any policy has been asked.
	 */
	choose(call: AskedCall): string | undefined;
}

/** Who chooses among the targets of models, one for each model at most. */
export const choosers = slot<Chooser>("router.choosers");
