/** Asks the policies for a task, as they are asked for a model call. */
import type { TaskRouted } from "../contract/call.ts";
import { type Denial, isDenial } from "../contract/fault.ts";
import type { Guard } from "../contract/guard.ts";
import type { Log } from "../contract/log.ts";
import type { TaskAuthority } from "../contract/task-authority.ts";
import { refusedEnd, refusedOutcome } from "./call-ending.ts";
import { changedWords } from "./edit-words.ts";
import { guardFailed } from "./guarded.ts";
import { askGuards } from "./guards.ts";
import { askPolicies } from "./permits.ts";
import { type Recording, record } from "./record.ts";
import { firstRefusal, type RulesOf } from "./token-rules.ts";

const isAboutQuota = ({ kind }: Denial): boolean => kind === "quota_exhausted" || kind === "quota_held";

/** `recording`: who is told of what is refused. */
export const createTaskAuthority = (
	rulesOf: RulesOf,
	guards: () => readonly Guard[],
	log: Log,
	recording: () => Recording,
): TaskAuthority => ({
	async beforeBody(call, isRepeated) {
		const denial = await firstRefusal(
			rulesOf(call.token).beforeBody,
			({ policy, setting }, asking) => policy.beforeBody?.(asking, setting, "tasks"),
			call,
			log,
		);
		if (!denial || (isAboutQuota(denial) && (await isRepeated?.()))) return undefined;
		record(recording(), { call, token: call.token, protocol: "tasks" }, refusedEnd(denial));
		return denial;
	},
	refused(call, task, denial) {
		const model = task && { operation: task.kind, name: task.model, stream: false, candidates: 1 };
		const start = { call, token: call.token, protocol: "tasks", ...(model && { model }) };
		record(recording(), start, refusedEnd(denial));
	},
	async authorize(call, { kind, model, targets, requestBytes, prompt }) {
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
