/**
 * Portico's own error shape, which is OpenAI's: most clients can read it. Status and words are chosen by what real
 * clients do with them: how often they try again, and what they show. A 4xx must not speak of a passing weakness of the
 * server, or some clients try on.
 */
import type { Denial, DenialKind, RenderedDenial } from "../contract/fault.ts";
import { retryHeaders, withoutRetryWords } from "./retry.ts";

interface Face {
	readonly status: number;
	readonly type: string;
	/** The word used when the denial has none of its own. */
	readonly code: string | null;
	/** True where clients act on exactly this code, whatever the denial says. */
	readonly fixed?: boolean;
	/** True when the same call may do better a little later. */
	readonly passing?: boolean;
}

const request = (status: number, code: string | null): Face => ({ status, type: "invalid_request_error", code });

const faces: Readonly<Record<DenialKind, Face>> = {
	invalid_request: request(400, null),
	context_length: { ...request(400, "context_length_exceeded"), fixed: true },
	content_policy: request(400, "content_policy_violation"),
	unsupported: request(400, "unsupported"),
	authentication: request(401, "invalid_api_key"),
	permission: { status: 403, type: "permission_error", code: "permission_denied" },
	quota_exhausted: { status: 429, type: "insufficient_quota", code: "insufficient_quota", fixed: true },
	quota_held: { status: 429, type: "rate_limit_error", code: "quota_held", passing: true },
	rate_limited: { status: 429, type: "rate_limit_error", code: "rate_limit_exceeded", passing: true },
	not_found: request(404, "not_found"),
	model_not_found: { ...request(404, "model_not_found"), fixed: true },
	method_not_allowed: request(405, "method_not_allowed"),
	conflict: request(409, "conflict"),
	too_large: request(413, "request_too_large"),
	unsupported_media_type: request(415, "unsupported_media_type"),
	client_timeout: { status: 408, type: "timeout", code: "request_timeout", passing: true },
	internal: { status: 500, type: "server_error", code: "internal_error", passing: true },
	upstream: { status: 502, type: "upstream_error", code: "upstream_error", passing: true },
	overloaded: { status: 503, type: "server_error", code: "server_is_overloaded", fixed: true, passing: true },
	upstream_timeout: { status: 504, type: "timeout", code: "upstream_timeout", passing: true },
};

/** A plugin written without types may give a kind that does not exist; it counts as `internal`, so that the call is still answered. */
const faceOf = (denial: Denial): Face => faces[Object.hasOwn(faces, denial.kind) ? denial.kind : "internal"];

const codeOf = (denial: Denial, face: Face): string | null =>
	face.fixed === true ? face.code : (denial.code ?? face.code);

/** The body of an error in this shape. */
interface ErrorBody {
	readonly error: {
		readonly message: string;
		readonly type: string;
		readonly param: string | null;
		readonly code: string | null;
		readonly resetsAt?: string;
	};
}

/** `{"error":{"message","type","param","code"}}` with status and headers; for Portico's own routes and every protocol of this shape. */
export const renderOwnDenial = (denial: Denial): RenderedDenial & { readonly body: ErrorBody } => {
	const face = faceOf(denial);
	const worded = face.status < 500 ? withoutRetryWords : (text: string) => text;
	const code = codeOf(denial, face);
	return {
		status: face.status,
		headers: { ...denial.headers, ...retryHeaders(denial, face.passing === true) },
		body: {
			error: {
				message: worded(denial.message),
				type: face.type,
				param: denial.parameter ?? null,
				code: code === null ? null : worded(code),
				...(denial.resetsAt !== undefined && { resetsAt: denial.resetsAt }),
			},
		},
	};
};
