/** What a change made of a token, as the audit tells it: each field as it was and as it is. */
import type { Change } from "../people/service.ts";
import type { KnownSettings } from "./settings.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A setting whose schema says that it is secret is told without its value. `null` takes a field away. */
export const changedFields = (before: Fields, given: Fields, known: KnownSettings): NonNullable<Change["changes"]> => {
	const changes: Record<string, { from?: unknown; to?: unknown }> = {};
	for (const [key, value] of Object.entries(given)) {
		const from = before[key] ?? undefined;
		const to = value ?? undefined;
		if (JSON.stringify(from) === JSON.stringify(to)) continue;
		const hidden = known.get(key)?.schema["secret"] === true;
		changes[key] = hidden ? { to: "(secret)" } : { from, to };
	}
	return changes;
};
