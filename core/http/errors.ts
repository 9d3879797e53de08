/** Portico's own error shape, for routes that belong to no protocol: OpenAI's, which most clients can read. */
import type { Denial, DenialKind } from "../fault.ts";
import type { RenderDenial } from "./route.ts";

const table: Readonly<Record<DenialKind, readonly [status: number, type: string, code: string]>> = {
	invalid_request: [400, "invalid_request_error", "invalid_request"],
	context_length: [400, "invalid_request_error", "context_length_exceeded"],
	content_policy: [400, "invalid_request_error", "content_policy_violation"],
	unsupported: [400, "invalid_request_error", "unsupported"],
	authentication: [401, "invalid_request_error", "invalid_api_key"],
	permission: [403, "permission_error", "permission_denied"],
	quota_exhausted: [429, "insufficient_quota", "insufficient_quota"],
	quota_held: [429, "rate_limit_error", "quota_held"],
	rate_limited: [429, "rate_limit_error", "rate_limit_exceeded"],
	not_found: [404, "invalid_request_error", "not_found"],
	model_not_found: [404, "invalid_request_error", "model_not_found"],
	method_not_allowed: [405, "invalid_request_error", "method_not_allowed"],
	conflict: [409, "invalid_request_error", "conflict"],
	too_large: [413, "invalid_request_error", "request_too_large"],
	unsupported_media_type: [415, "invalid_request_error", "unsupported_media_type"],
	client_timeout: [408, "timeout", "request_timeout"],
	internal: [500, "server_error", "internal_error"],
	upstream: [502, "upstream_error", "upstream_error"],
	overloaded: [503, "server_error", "server_is_overloaded"],
	upstream_timeout: [504, "timeout", "upstream_timeout"],
};

/** Kinds that asking again cannot mend. */
const final: ReadonlySet<DenialKind> = new Set(["quota_exhausted", "internal"]);

/** The longest wait a client is told; some honour any value. */
const longestRetrySeconds = 60;

/** `retry-after` (whole seconds, at most 60) and `retry-after-ms` for a denial that names a wait, `x-should-retry` where it is settled. */
export const retryHeaders = (denial: Denial): Record<string, string> => {
	const headers: Record<string, string> = { ...denial.headers };
	if (denial.retryAfterSeconds !== undefined) {
		const seconds = Math.min(longestRetrySeconds, Math.max(0, denial.retryAfterSeconds));
		headers["retry-after"] = String(Math.ceil(seconds));
		headers["retry-after-ms"] = String(Math.round(seconds * 1000));
	}
	if (final.has(denial.kind)) headers["x-should-retry"] = "false";
	return headers;
};

/** `{"error":{"message","type","param","code"}}` with the status of the denial's kind. */
export const renderOwnDenial: RenderDenial = (denial) => {
	const [status, type, code] = table[denial.kind];
	return {
		status,
		headers: retryHeaders(denial),
		body: {
			error: { message: denial.message, type, param: denial.parameter ?? null, code: denial.code ?? code },
		},
	};
};
