/** Ids of function calls that came without one: the same for the same place, so that histories stay equal from turn to turn. */
import { createHash } from "node:crypto";

/** An id that every protocol takes. `place` is what makes it different from others. */
export const callId = (...place: readonly (string | number)[]): string =>
	`call_${createHash("sha256").update(JSON.stringify(place)).digest("hex").slice(0, 24)}`;

/** Finds the call that a result answers: by id, else the oldest call of that name still waiting. */
export class WaitingCalls {
	private readonly waiting: { readonly id: string; readonly name: string }[] = [];
	private readonly known = new Set<string>();

	add(id: string, name: string): void {
		this.known.add(id);
		this.waiting.push({ id, name });
	}

	/** The id of the call answered, which waits no more; undefined when no call fits. */
	take(id: string | undefined, name: string | undefined): string | undefined {
		let at = id === undefined ? -1 : this.waiting.findIndex((call) => call.id === id);
		if (at === -1 && id !== undefined && this.known.has(id)) return id;
		if (at === -1) at = this.waiting.findIndex((call) => call.name === name);
		if (at === -1 && name === undefined && this.waiting.length > 0) at = 0;
		return at === -1 ? undefined : this.waiting.splice(at, 1)[0]?.id;
	}
}
