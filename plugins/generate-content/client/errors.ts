/**
 * Refusals and faults in Google's shape. What clients act on stands in `details`: a wait in `RetryInfo`, a quota that is
 * gone for good in `QuotaFailure`, a bad key in `ErrorInfo`.
 */
import {
	type Denial,
	type DenialKind,
	type ModelAsk,
	type RenderedDenial,
	retryHeaders,
	type WireRecord,
	waitOf,
	withoutRetryWords,
} from "#core";
import { framingOf } from "../framing.ts";

interface Face {
	readonly code: number;
	readonly status: string;
	/** True when the same call may do better a little later. */
	readonly passing?: boolean;
}

const invalid = (code: number): Face => ({ code, status: "INVALID_ARGUMENT" });

const faces: Readonly<Record<DenialKind, Face>> = {
	invalid_request: invalid(400),
	context_length: invalid(400),
	content_policy: invalid(400),
	unsupported: invalid(400),
	authentication: { code: 401, status: "UNAUTHENTICATED" },
	permission: { code: 403, status: "PERMISSION_DENIED" },
	quota_exhausted: { code: 429, status: "RESOURCE_EXHAUSTED" },
	quota_held: { code: 429, status: "RESOURCE_EXHAUSTED", passing: true },
	rate_limited: { code: 429, status: "RESOURCE_EXHAUSTED", passing: true },
	not_found: { code: 404, status: "NOT_FOUND" },
	model_not_found: { code: 404, status: "NOT_FOUND" },
	method_not_allowed: invalid(405),
	conflict: { code: 409, status: "ABORTED" },
	too_large: invalid(413),
	unsupported_media_type: invalid(415),
	client_timeout: { code: 408, status: "DEADLINE_EXCEEDED", passing: true },
	internal: { code: 500, status: "INTERNAL", passing: true },
	upstream: { code: 502, status: "UNAVAILABLE", passing: true },
	overloaded: { code: 503, status: "UNAVAILABLE", passing: true },
	upstream_timeout: { code: 504, status: "DEADLINE_EXCEEDED", passing: true },
};

const typed = (name: string, fields: WireRecord): WireRecord => ({
	"@type": `type.googleapis.com/google.rpc.${name}`,
	...fields,
});

const shout = (word: string): string => word.replace(/[^\w]/g, "_").toUpperCase();

/** The reason in Google's words where clients know one, else the denial's own word. */
const infoOf = ({ kind, code }: Denial): WireRecord | undefined => {
	const domain = "portico";
	const more = code === undefined ? {} : { metadata: { code } };
	if (kind === "authentication") return typed("ErrorInfo", { reason: "API_KEY_INVALID", domain, ...more });
	if (code === undefined) return undefined;
	return typed("ErrorInfo", { reason: shout(code), domain, ...more });
};

const isPassing = ({ kind }: Denial): boolean => faces[kind].passing === true;

const detailsOf = (denial: Denial, requestId: string | undefined): readonly WireRecord[] => {
	const { kind, message, parameter } = denial;
	const details: WireRecord[] = [];
	const info = infoOf(denial);
	if (info) details.push(info);
	// Clients stop trying only at a quota that comes back another day.
	if (kind === "quota_exhausted")
		details.push(
			typed("QuotaFailure", { violations: [{ quotaId: "TokenQuotaPerDay", quotaMetric: "portico/token_quota" }] }),
		);
	const wait = isPassing(denial) ? waitOf(denial) : undefined;
	if (wait !== undefined) details.push(typed("RetryInfo", { retryDelay: `${wait}s` }));
	if (parameter !== undefined)
		details.push(typed("BadRequest", { fieldViolations: [{ field: parameter, description: message }] }));
	if (requestId) details.push(typed("RequestInfo", { requestId }));
	return details;
};

/** Google's error object for a denial. */
export const errorBody = (denial: Denial, requestId?: string): WireRecord => {
	const { code, status } = faces[denial.kind];
	const message = code < 500 ? withoutRetryWords(denial.message) : denial.message;
	const details = detailsOf({ ...denial, message }, requestId);
	return { error: { code, message, status, ...(details.length > 0 && { details }) } };
};

/** Status, headers and body of a denial, for a call that has not begun to answer. */
export const renderDenial = (denial: Denial, requestId: string): RenderedDenial => ({
	status: faces[denial.kind].code,
	headers: { ...denial.headers, ...retryHeaders(denial, isPassing(denial)) },
	body: errorBody(denial, requestId),
});

/** What is written into an open stream that cannot go on, in the form the client asked for. */
export const renderStreamDenial = (denial: Denial, ask: ModelAsk): string =>
	framingOf(ask).failure(JSON.stringify(errorBody(denial)));
