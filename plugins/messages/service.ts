/** What other plugins share that ask Claude by another protocol. */

export { cacheControl } from "./cache-control.ts";
