/** What a call holds of the memory that all calls share. */
import type { Denial } from "./fault.ts";

/**
 * What one call holds.
 *
 * @example
 * const denial = call.held?.hold(bytes.length);
 * if (denial) throw new Fault(denial);
 */
export interface HeldBytes {
	/** Counts so many bytes more, before they are there; the refusal when there is no room for them. */
	hold(bytes: number): Denial | undefined;
	/** Gives so many bytes back. */
	giveBack(bytes: number): void;
	/** Gives everything back. Whatever is held afterwards has to be given back too. */
	release(): void;
	/** The call outlives its handler: whoever sets it gives back what the call holds. */
	carried: boolean;
}
