/** Who is calling. */
import type { AccessToken, Admitted } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { CallToken } from "./outcome.ts";
import { slot } from "./token.ts";

/** A token that is known and not let in. */
export interface RefusedToken {
	readonly denial: Denial;
	readonly refused: CallToken;
}

type Identity = AccessToken | RefusedToken | Denial | undefined;

/**
 * Knows keys. `identify` gets the one key that was found in the request, whatever carried it. `undefined`: not mine, ask
 * the next. A token with settings is made by `vouchedToken` of `#core/plugins/tokens`, and kept for as long as it is the same.
 *
 * @example
 * add(authenticators, { name: "my-tokens", identify: (key) => (key.startsWith("my-") ? tokenOf(key) : undefined) });
 */
export interface Authenticator {
	readonly name: string;
	identify(key: string, call: Admitted): Identity | Promise<Identity>;
}

/** The first that answers wins; when none does the call is refused. */
export const authenticators = slot<Authenticator>("authenticators");
