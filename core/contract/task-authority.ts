/** Policies for work that is not a model call: a task names a model, but there is no model request to read or to relay. */

import type { Identified, TaskRouted } from "./call.ts";
import type { Denial } from "./fault.ts";
import type { Outcome } from "./outcome.ts";
import { service } from "./token.ts";

/** What the policies hold for one piece of work. Settled exactly once, newest permit first. */
export interface HeldPermits {
	/** The lowest bound on output tokens that any permit set. */
	readonly maxOutputTokens: number | undefined;
	settle(outcome: Outcome): void;
}

/** A task for which the policies are asked. */
export interface TaskAsk extends Pick<TaskRouted, "targets" | "requestBytes" | "prompt"> {
	/** `image`, `video`, `music` … */
	readonly kind: string;
	/** The model the client asked for. */
	readonly model: string;
}

/** A task that may be taken on. */
export interface Authorized {
	readonly permits: HeldPermits;
	/** Present where guards changed what the model is asked to make. The task's client goes on seeing its own words. */
	readonly words?: {
		/** Each changed text, and what is sent in its place. */
		readonly sent: ReadonlyMap<string, string>;
		/** What is put back in what is made: for each stand-in the client's own words. */
		readonly restore: ReadonlyMap<string, string>;
	};
}

/**
 * Lets the policies and guards decide about a task.
 *
 * @example
 * const authorized = await needs.taskAuthority.authorize(call, { kind: "image", model, targets, requestBytes, prompt });
 * if (!("permits" in authorized)) throw new Fault(authorized);
 */
export interface TaskAuthority {
	/**
	 * Asks every policy what it can say before the body of a new task is read. `isRepeated` is asked where a quota does not
	 * suffice: what was taken on before is not spent again.
	 */
	beforeBody(call: Identified, isRepeated?: () => Promise<boolean>): Promise<Denial | undefined>;
	/** Asks every policy and every guard, as for a model call. The caller settles the permits exactly once. */
	authorize(call: Identified, task: TaskAsk): Promise<Authorized | Denial>;
	/**
	 * Writes the row of a task that was not taken on, whoever refused it: as a model call that is refused has one. `task` is
	 * undefined where its order could not be read.
	 */
	refused(call: Identified, task: Pick<TaskAsk, "kind" | "model"> | undefined, denial: Denial): void;
}

/** Given by the host. */
export const taskAuthority = service<TaskAuthority>("task-authority");
