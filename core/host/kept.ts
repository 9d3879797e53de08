/** What outlives a reload: one thing of each name for the whole process. */
import type { Kept } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import { whatFailed } from "../errors/describe.ts";

export class KeptThings {
	private readonly things = new Map<string, Kept>();

	readonly keep = <T extends Kept>(name: string, make: () => T): T => {
		const known = this.things.get(name);
		if (known) return known as T;
		const made = make();
		this.things.set(name, made);
		return made;
	};

	/** Newest first; one that fails keeps no other from its end. */
	async close(log: Log): Promise<void> {
		for (const [name, kept] of [...this.things].reverse())
			try {
				await kept.close?.();
			} catch (error) {
				log.error("what a plugin keeps could not be closed cleanly", { name, ...whatFailed(error) });
			}
		this.things.clear();
	}
}
