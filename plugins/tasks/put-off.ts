/** Tasks that a clock which was wrong has put off: once it is set back they would not be looked at until it is as late again. */
import { sql } from "drizzle-orm";
import { type Store, valueList } from "#core";
import { longestWaitMs, type Paced } from "./poll-schedule.ts";

/** Makes due what waits longer than any task does; of this node's own upstreams, for others may have another pace. */
export const takeUpPutOff =
	(store: Store, { upstreams }: { readonly upstreams: readonly Paced[] }, now: () => number) =>
	async (): Promise<void> => {
		const names = valueList(upstreams.map(({ name }) => name));
		const latest = Math.ceil(now() + longestWaitMs(upstreams));
		const putOff = sql`due_at > ${latest} AND upstream IN ${names}`;
		const found = await store.all(sql`SELECT 1 FROM tasks WHERE ${putOff} LIMIT 1`);
		if (found.length > 0) await store.write([sql`UPDATE tasks SET due_at = ${Math.floor(now())} WHERE ${putOff}`]);
	};
