/** An upstream's failure as a denial fit for the client: this protocol's error object, and pages of proxies in between. */
import {
	asRecord,
	asText,
	credentialsRefused,
	type Denial,
	type DenialKind,
	definedOnly,
	isEmptyAccount,
	isRecord,
	kindOfStatus,
	lookup,
	parseJson,
	refusesCredentials,
	retryAfterIn,
	scrubMessage,
	sentenceFor,
	type WireRecord,
	withoutNames,
} from "#core";

const kindsByType = lookup<DenialKind>({
	invalid_request_error: "invalid_request",
	authentication_error: "upstream",
	permission_error: "upstream",
	billing_error: "upstream",
	not_found_error: "not_found",
	request_too_large: "too_large",
	rate_limit_error: "rate_limited",
	timeout_error: "upstream_timeout",
	overloaded_error: "overloaded",
	api_error: "upstream",
});

const tooLong = /prompt is too long|exceeds?\b.{0,40}\bcontext|context (?:window|length|limit)/i;
const filtered = /content filter|blocked by|usage polic/i;
const aboutModel = /^model\b|\bmodel\b.{0,80}\b(?:not found|does not exist|not supported)/i;

/** Refused credentials are told by the type, or by a status that speaks of credentials or of the operator's account. */
const isRefused = (type: string, status: number, message: string): boolean =>
	/^(?:authentication|permission|billing)_error$/.test(type) ||
	refusesCredentials(status) ||
	(status < 500 && (isEmptyAccount(undefined, message) || /\bbilling\b/i.test(withoutNames(message))));

const kindOf = (type: string, status: number, message: string): DenialKind => {
	const kind = kindsByType[type] ?? kindOfStatus(status) ?? "upstream";
	if (kind === "not_found") return aboutModel.test(message) ? "model_not_found" : "not_found";
	if (kind !== "invalid_request") return kind;
	if (tooLong.test(message)) return "context_length";
	return filtered.test(message) ? "content_policy" : kind;
};

const codes: Readonly<Partial<Record<DenialKind, string>>> = {
	context_length: "context_length_exceeded",
	model_not_found: "model_not_found",
};

/** Anthropic's own word for what exactly is wrong, which stands beside the message. */
const toldCode = (told: WireRecord): string | undefined => {
	const code = asText(asRecord(told["details"])["error_code"]);
	return code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined;
};

/** The error told in a body or in a stream. `status` is 0 where there is none: then the type alone decides. */
export const decodeToldError = (body: unknown, status = 0): Denial => {
	const root = asRecord(body);
	const told = isRecord(root["error"]) ? root["error"] : root;
	const type = asText(told["type"]) ?? "";
	const said = asText(told["message"]) ?? asText(root["error"]) ?? "";
	if (isRefused(type, status, said)) return credentialsRefused;
	const kind = kindOf(type, status, said);
	// The upstream's own name for a model is not the client's affair.
	const message =
		kind === "model_not_found" || said === "" ? sentenceFor(kind, status || undefined) : scrubMessage(said);
	return { kind, message, ...definedOnly({ code: codes[kind] ?? toldCode(told) }) };
};

/** An answer that is not 2xx. Refused credentials are the operator's affair and never shown as the client's. */
export const decodeError = (status: number, headers: Headers, text: string): Denial => ({
	...decodeToldError(parseJson(text), status),
	...definedOnly({ retryAfterSeconds: retryAfterIn(headers) }),
});
