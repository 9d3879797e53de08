/** A failed task as the error that a client who waited for it gets. */
import { type DenialKind, Fault, lookup } from "#core";
import type { Task } from "../tasks/service.ts";

const kinds = lookup<DenialKind>({
	content_policy_violation: "content_policy",
	upstream_refused: "invalid_request",
	edit_unsupported: "unsupported",
	mask_unsupported: "unsupported",
	task_timeout: "upstream_timeout",
	upstream_busy: "overloaded",
	cancelled: "conflict",
});

/** Asking again would make and charge another picture, so clients are told not to by themselves. */
const final = { "x-should-retry": "false" };

export const failedTask = ({ id, failure }: Task): Fault => {
	const { code = "upstream_error", reason = "The picture could not be made." } = failure ?? {};
	return new Fault({ kind: kinds[code] ?? "upstream", code, message: `${reason} (task ${id})`, headers: final });
};

export const stillRunning = ({ id }: Task, seconds: number): Fault =>
	new Fault({
		kind: "upstream_timeout",
		code: "task_still_running",
		message: `The picture is not finished after ${seconds} seconds. Ask for it at /v1/tasks/${id}; next time send "Prefer: respond-async" or a notifyHook.`,
		headers: final,
	});
