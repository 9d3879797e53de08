/** What the words in `error.code` mean. `pages.test.ts` holds the list to the source. */

export interface Meaning {
	readonly code: string;
	readonly meaning: string;
}

const listOf = (list: Readonly<Record<string, string>>): readonly Meaning[] =>
	Object.entries(list).map(([code, meaning]) => ({ code, meaning }));

/** Codes of refusals that say more than the kind of refusal does. */
export const refusalCodes = listOf({
	admins_only: "The route, or the field of the body, is for administrators, and who asks is a member.",
	beyond_owner: "A token's setting goes beyond the limit of the person it belongs to.",
	callback_url_not_allowed: "The callback's address is private, loopback or otherwise special.",
	compaction_failed: "The model's answer holds no summary of the conversation.",
	compaction_not_readable: "A summary of an earlier conversation was changed, or was made by another gateway.",
	content_gone: "The file of the task is not kept any more.",
	content_not_found: "The task has no such file.",
	conversation_too_long: "The kept answers that the request goes on from are more than `responses.conversationBytes`.",
	edit_unsupported: "The model makes pictures and changes none.",
	guard_failed: "A guard could not judge the words, so the call was refused.",
	guard_refused: "The inspector of `guard-http` refused the words; it may give a code of its own.",
	host_not_allowed: "An admin route was called by a name that is not in `server.hosts`.",
	idempotency_key_reused: "The same `idempotency-key` was sent with another body.",
	invalid_action: "The path names an action that the kind of task does not have.",
	invalid_admin_token: "The admin token is wrong, or none was sent.",
	invalid_callback_url:
		"The callback's address is no `http` or `https` URL, or has a user or a port that it may not have.",
	invalid_form: "The body is no `multipart/form-data` that can be read, or a field of it is missing.",
	invalid_json: "The body is empty, no JSON, or not a JSON object.",
	invalid_value: "A field has a value that it cannot have; `param` names it.",
	invitation_not_valid: "The invitation was used, withdrawn, or is over.",
	ip_not_allowed: "The token may not be used from the caller's address.",
	let_in_elsewhere: "A company's sign-in lets the person in, so signing out and changing a password is done there.",
	mask_unsupported: "The model takes no mask.",
	missing_required_parameter: "A field is missing; `param` names it.",
	model_not_priced: "The token has a quota, and the model has no price, or none for what the call may use.",
	name_taken: "There is a person of that name.",
	no_room: "The bodies and answers of all calls fill `server.memoryBytes`, or one token has half of it.",
	origin_not_allowed: "A page of another origin called an admin route, or signs in.",
	owner_disabled: "The person whose token it is was disabled.",
	owner_limit: "Nothing is left of the token within the limits of the person it belongs to.",
	owner_unknown: "Nobody here knows the person whose token it is: `people` is not loaded, say.",
	policy_not_loaded: "The token carries a setting whose policy is not in the config.",
	previous_response_not_found: "`previous_response_id` names no kept answer of this token.",
	prompt_empty: "A song needs words or a description.",
	quota_not_enough: "The quota is used up, in Suno's and Midjourney's words.",
	reference_not_allowed: "The request names a file or a cache that lies with the upstream's account.",
	session_ended: "The session is over; sign in again.",
	sign_in_delayed: "Too many attempts to sign in failed; wait as long as `retry-after` says.",
	too_many_changes: "A member changed more than 600 things at once; two a second are let through from then on.",
	sign_in_refused: "Name or password is wrong.",
	stream_incomplete: "The upstream's stream ended without the end that its protocol announces.",
	task_ended: "The task has ended, so it cannot be cancelled.",
	task_inputs_full:
		"The inputs of open tasks take what `tasks.inputMegabytes` or `tasks.inputMegabytesPerToken` allows.",
	task_not_exist: "There is no such task under this token, in Suno's words.",
	task_not_finished: "The task has no result yet.",
	task_not_found: "There is no such task under this token.",
	task_open: "The task has not ended, so it cannot be removed.",
	task_still_running: "The client waited as long as it may; the task goes on.",
	thread_unsupported_request: "The request begins or continues a conversation that would lie at the upstream.",
	tier_not_priced: "The token has a quota, and nobody knows the price of the tier or tool that is asked for.",
	tls_needed: "People sign in over https only, unless `people.insecure` says otherwise.",
	token_disabled: "The token was switched off.",
	token_expired: "The token's validity is over.",
	too_many_calls:
		"As many calls run and wait as `server.maxCalls` or `server.maxCallsPerToken` lets, or 2,000 of a caller wait for tasks.",
	unknown_reference: "The request names an answer, a file or a container that this token did not make here.",
	unsupported_endpoint: "The model is there, and no target of it serves this endpoint.",
	unsupported_parameter: "A field asks for what Portico does not do; `param` names it.",
	upgrade_not_supported: "Responses are not served over WebSocket; ask by POST.",
	upstream_answer_too_large: "The upstream's answer is larger than `server.answerLimitBytes`.",
	upstream_broke_off: "The upstream's answer ended before its end.",
	invalid_chunk: "The upstream's stream holds an event that cannot be read.",
});

/** Why a task failed: `error.code` of the task, and `x-failure-code` of its callback. */
export const taskFailureCodes = listOf({
	cancelled: "The client or an operator cancelled it.",
	content_policy_violation: "The upstream declined the words, or the result.",
	demo_failure: "The prompt asked the demo to fail.",
	result_not_kept: "The result was made and could not be stored.",
	submission_unknown: "It is not known whether the upstream took the task; it is charged, and not submitted again.",
	task_timeout: "It took longer than `timeoutMinutes` of its upstream.",
	upstream_busy: "The upstream was too busy to take it.",
	upstream_error: "The upstream did not accept Portico's own key.",
	upstream_failed: "The upstream reports that it failed.",
	upstream_lost_task: "The upstream does not know the task any more.",
	upstream_no_result: "The upstream reports an end and gives no result.",
	upstream_refused: "The upstream refused the task.",
	upstream_strange: "The upstream kept answering with a state that is not known.",
	upstream_unreachable: "The upstream could not be reached, or a page of HTML came in place of its answer.",
});

/** Words in the place of a code that reach no client under that name. */
export const otherWords: ReadonlySet<string> = new Set([
	"server_error", // the Responses API's own word for any failure of a server
	"search_query", // what an embedding of Cohere's is for
	"success", // the envelope of vendors whose `code` says that all is well
	"unavailable", // a result of a tool in Anthropic's form
]);
