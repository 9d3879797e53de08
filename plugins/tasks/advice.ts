/** What an operator can do about a task that failed, by the word there is for it. */
import { emptyAccount, refusedKey } from "#core";
import type { TaskFailure } from "./job.ts";

const byCode: Readonly<Record<string, string>> = {
	task_timeout: "The upstream took too long: raise timeoutMinutes of the upstream, or send its models elsewhere.",
	upstream_busy: "The upstream takes no more jobs now: ask it for a higher limit, or add another upstream.",
	upstream_unreachable:
		"The upstream could not be reached: portico status says why while it lasts, and the log. Then submit the task again.",
	upstream_lost_task: "The upstream forgot the job: submit it again, and ask its operator if it lasts.",
	upstream_no_result: "The upstream finished without a result: submit it again, and ask its operator if it lasts.",
	submission_unknown: "Nobody knows whether the upstream took the job: look there before it is submitted again.",
	result_not_kept: "The result could not be fetched or kept: look at the log, and at the room in the files' folder.",
	cancelled: "Its client cancelled it; nothing is to be done.",
};

const byReason: readonly (readonly [pattern: RegExp, advice: string])[] = [
	[/credit|billing|balance|quota/i, emptyAccount],
	[/own account|api.?key|unauthorized|authenticat|\b401\b|\b403\b/i, refusedKey],
	[
		/policy|safety|moderation|nsfw|blocked/i,
		"The upstream refuses the words or pictures: the client must change them.",
	],
	[
		/no upstream had taken it on/,
		"Upstreams were too busy, away, or had as much under way as `concurrency` lets them: portico status tells of those that fail. Raise it, or timeoutMinutes, or send its models elsewhere.",
	],
	[
		/^Portico ended while/,
		"Portico was stopped, or died, while the upstream was being asked: give server.drainSeconds more than its upstreams take, and look there before it is submitted again.",
	],
	[
		/no longer configured|not configured/i,
		"The upstream is not in the config any more: put it back, and submit the task again.",
	],
];

export const adviceOnTask = ({ code, reason }: TaskFailure): string =>
	byReason.find(([pattern]) => pattern.test(reason))?.[1] ??
	byCode[code] ??
	"The upstream failed: its words say why. Submit the task again, or send its models elsewhere.";
