/** Policies and guards for a task, which names a model and is no model request: nothing of it is read or relayed here. */
import type { Identified, TaskRouted } from "../contract/call.ts";
import { type Denial, isDenial } from "../contract/fault.ts";
import type { Guard } from "../contract/guard.ts";
import type { Log } from "../contract/log.ts";
import type { Outcome } from "../contract/outcome.ts";
import { service } from "../contract/token.ts";
import { guardFailed } from "./call/guarded.ts";
import type { Refusals } from "./call/refusals.ts";
import { changedWords } from "./guards/edit-words.ts";
import { askGuards } from "./guards/guards.ts";
import type { SecondLook } from "./identify/second-look.ts";
import { askPolicies, refusedOutcome } from "./policies/permits.ts";
import { firstRefusal, type RulesOf } from "./policies/token-rules.ts";

/** A task for which the policies are asked. */
export interface TaskAsk extends Pick<TaskRouted, "targets" | "requestBytes" | "prompt"> {
	/** `image`, `video`, `music` … */
	readonly kind: string;
	/** The model the client asked for. */
	readonly model: string;
}

/** A task that may be taken on. */
interface Authorized {
	/** What the policies hold for it, settled exactly once, and the tags that its row is to have. */
	readonly permits: { readonly tags?: Readonly<Record<string, string>> | undefined; settle(outcome: Outcome): void };
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

const isAboutQuota = ({ kind }: Denial): boolean => kind === "quota_exhausted" || kind === "quota_held";

interface TaskAuthorityOptions {
	readonly rulesOf: RulesOf;
	readonly secondLook: SecondLook;
	readonly log: Log;
	guards(): readonly Guard[];
	/** Who is told of what is refused. */
	refusals(): Refusals;
}

export const createTaskAuthority = ({
	rulesOf,
	secondLook,
	log,
	guards,
	refusals,
}: TaskAuthorityOptions): TaskAuthority => ({
	async beforeBody(call, isRepeated) {
		const denial = await firstRefusal(
			rulesOf(call.token).beforeBody,
			({ policy, setting }, asking) => policy.beforeBody?.(asking, setting, "tasks"),
			call,
			log,
		);
		if (!denial || (isAboutQuota(denial) && (await isRepeated?.()))) return undefined;
		refusals().addRead({ call, token: call.token, protocol: "tasks" }, denial);
		return denial;
	},
	refused(call, task, denial) {
		const model = task && { operation: task.kind, name: task.model, stream: false, candidates: 1 };
		refusals().addRead({ call, token: call.token, protocol: "tasks", ...(model && { model }) }, denial);
	},
	async authorize(call, { kind, model, targets, requestBytes, prompt }) {
		await secondLook(call);
		const routed: TaskRouted = {
			...call,
			surface: "task",
			taskKind: kind,
			protocol: "tasks",
			model: { operation: kind, name: model, stream: false, candidates: 1 },
			targets,
			requestBytes,
			prompt,
		};
		const permits = await askPolicies({ rules: rulesOf(call.token).check, call: routed, log });
		if (isDenial(permits)) return permits;
		if (guards().length === 0) return { permits };
		const before = prompt();
		const guarded = await askGuards(guards(), routed, log, before);
		const words = isDenial(guarded) ? undefined : changedWords(before.messages, (guarded.prompt ?? before).messages);
		if (!isDenial(guarded) && words)
			return words.size === 0 ? { permits } : { permits, words: { sent: words, restore: guarded.restore } };
		const denial = isDenial(guarded) ? guarded : guardFailed;
		permits.settle(refusedOutcome(denial));
		return denial;
	},
});
