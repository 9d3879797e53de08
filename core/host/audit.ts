/** Tells whoever keeps an account what an operator did. What was done stays done where that fails; the log says so. */
import type { Log } from "../contract/log.ts";
import { type Auditor, auditors } from "../contract/operator.ts";
import { describe } from "../errors/describe.ts";
import type { Generation } from "./generation.ts";

export const auditOf = (generation: () => Generation | undefined, log: Log): Auditor => ({
	did: async (call, deed) => {
		const told = (generation()?.all(auditors) ?? []).map((auditor) => auditor.did(call, deed));
		await Promise.all(told).catch((error: unknown) =>
			log.error("a change could not be written down", { ...deed, error: describe(error) }),
		);
	},
});
