/** The one table of what is known of models, which plugins add to. Config has the last word, by `caps` of a model. */
import type { ModelCapabilities } from "../neutral/model.ts";
import { slot } from "./token.ts";

/**
 * An entry of the table: what models have in common whose names fit, or that one vendor serves.
 *
 * @example
 * add(models, {
 * 	names: ["lark-*"],
 * 	capabilities: { thinking: "effort", efforts: ["low", "high"], contextWindow: 128_000 },
 * 	sources: ["https://docs.lark.example/models"],
 * });
 */
export interface KnownModels {
	/** Names in lower case, without what stands before a `/`; `*` stands for anything. Of several that match, the one with the most characters besides `*` counts. */
	readonly names?: readonly string[];
	/** Vendors by the word that `upstreams[].vendor` has; what is known of a vendor goes before what is known of a name. */
	readonly vendors?: readonly string[];
	readonly capabilities: ModelCapabilities;
	/** Where it was read: pages of the vendor, or threads in which its answers are shown. */
	readonly sources: readonly string[];
	/** What a reader of the table should know besides. */
	readonly note?: string;
}

/** The table of models. */
export const models = slot<KnownModels>("models");
