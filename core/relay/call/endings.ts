/** What the endings of calls have in common. */
import type { Ending } from "../../contract/outcome.ts";

/** Nobody's failure, or the client's or Portico's own. */
export const notTheUpstreams: ReadonlySet<Ending> = new Set(["completed", "client_left", "shut_down"]);

/** Nobody waited any longer. */
export const givenUp: ReadonlySet<Ending> = new Set(["client_left", "timed_out"]);
