/** Where clients reach Portico, for links that come back to it. */
import type { Identified } from "#core";

/** `publicUrl` when the operator set one, else what the client used. */
export const baseUrlOf = (call: Identified, publicUrl: string | undefined): string =>
	publicUrl?.replace(/\/+$/, "") ?? call.origin;
