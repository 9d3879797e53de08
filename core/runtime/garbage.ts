/** Asks the runtime to let go of what nobody needs any more. */

/** Everything at once, which takes some tens of milliseconds; Deno sees to it by itself. */
export const collectGarbage = (): void => {
	if (!("Deno" in globalThis)) Bun.gc(true);
};
