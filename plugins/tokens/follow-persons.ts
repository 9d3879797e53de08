/** Tokens follow their owner: what changes of a person counts for their tokens from the next call on, on every node. */
import { sql } from "drizzle-orm";
import type { PersonFollower } from "../people/service.ts";
import { checkLimits } from "./bounds.ts";
import type { Registry } from "./registry.ts";
import { checkSettings, type KnownSettings } from "./settings.ts";
import { nextRevision } from "./tables.ts";

export const tokenFollower = (registry: Registry, known: () => KnownSettings): PersonFollower => ({
	statements: ({ id }) => [sql`UPDATE tokens SET ${nextRevision} WHERE owner = ${id}`],
	checkLimits: (limits) => checkLimits(limits, known()),
	checkBudgets: (budgets) => checkSettings({ budgets }, known()),
	changed: () => registry.forgetAll(),
});
