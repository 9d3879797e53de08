/** How a task fails by Portico's own judgement, in words for its client. */
import type { WorkRow } from "./row.ts";
import type { TaskFailure } from "./service.ts";

/** Failures that no upstream tells of. */
export const failures = {
	unknown: {
		code: "submission_unknown",
		reason: "It is not known whether the upstream took the task on, so it was not sent again. Submit it anew.",
	},
	interrupted: {
		code: "submission_unknown",
		reason:
			"Portico ended while it sent the task, so it is not known whether the upstream took it on, and it was not sent again. Submit it anew.",
	},
	busy: { code: "upstream_busy", reason: "The upstream was too busy to take the task on. Submit it again later." },
	unreached: {
		code: "upstream_unreachable",
		reason: "The upstream could not be reached. Submit it again later, or ask the operator to look at it.",
	},
	missing: { code: "upstream_lost_task", reason: "The upstream does not know the task any more." },
	strange: { code: "upstream_strange", reason: "The upstream kept answering with a state that is not known." },
	unkept: { code: "result_not_kept", reason: "The result was made but could not be kept." },
} satisfies Record<string, TaskFailure>;

const timeOf = ({ deadlineAt, task }: WorkRow): string => {
	const minutes = Math.round((deadlineAt - task.submittedAt) / 60_000);
	return minutes === 1 ? "1 minute" : `${minutes} minutes`;
};

/** It did not end in the time of its kind. */
export const tooLate = (row: WorkRow): TaskFailure => ({
	code: "task_timeout",
	reason: `task timeout after ${timeOf(row)}`,
});

/** Nor had any upstream taken it on by then. */
export const neverTaken = (row: WorkRow): TaskFailure => ({
	code: "task_timeout",
	reason: `task timeout after ${timeOf(row)}: no upstream had taken it on`,
});
