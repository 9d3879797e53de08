/** What plugins may use that bring upstreams over HTTP, or route in the place of this one. */
import { createLookup } from "./known-models.ts";

export { createHttpUpstream, type HttpUpstreamOptions } from "./http-upstream.ts";
export { mayFollow } from "./repeating.ts";
export type { UpstreamSetting } from "./settings.ts";

/** What is known of a model by its name, without what config and plugins add. */
export const capabilitiesOf = createLookup();
