/** A refusal as a value: why a call, or a stream in its middle, cannot go on. */

/** Why a call is refused or failed. Each protocol has one status and word for each kind. */
export const denialKinds = [
	"invalid_request",
	"context_length",
	"content_policy",
	"unsupported",
	"authentication",
	"permission",
	"quota_exhausted",
	"quota_held",
	"rate_limited",
	"not_found",
	"model_not_found",
	"method_not_allowed",
	"conflict",
	"too_large",
	"unsupported_media_type",
	"client_timeout",
	"internal",
	"upstream",
	"overloaded",
	"upstream_timeout",
] as const;

/** One of these. */
export type DenialKind = (typeof denialKinds)[number];

/** `message` is public: it says what was found, what was expected and what to do, and never carries a secret. */
export interface Denial {
	readonly kind: DenialKind;
	readonly message: string;
	/** A stable snake_case word where the kind's own is not exact enough (`token_expired`, `ip_not_allowed`). */
	readonly code?: string;
	/** The request field that is at fault, in the client's own words. */
	readonly parameter?: string;
	readonly retryAfterSeconds?: number;
	/** When what was used up is there again, where the calendar says so: ISO 8601. */
	readonly resetsAt?: string;
	/** Headers to send along (`allow`); names in lower case. */
	readonly headers?: Readonly<Record<string, string>>;
}
