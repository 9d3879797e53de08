/** How the leases of a task are named, on its token's account and on those beside it. */
import { type SQL, sql } from "drizzle-orm";

/** The lease that a task has of an account beside its token's own, where its lease is named as the task. */
export const leaseBeside = (task: string, account: string): string => `${task}@${account}`;

/** Which leases are a task's, on every account: `A` is what follows `@`. */
export const leasesOfTask = (task: string): SQL =>
	sql`(id = ${task} OR (id > ${leaseBeside(task, "")} AND id < ${`${task}A`}))`;
