/** An upstream's failure as a denial fit for the client: this protocol's error object, and pages of proxies in between. */
import { asRecord, asText, type Denial, type DenialKind, definedOnly, isRecord, parseJson, scrub } from "#core";

const kindsByType: Readonly<Record<string, DenialKind>> = {
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
};

const kindsByStatus: Readonly<Record<number, DenialKind>> = {
	400: "invalid_request",
	404: "not_found",
	408: "upstream_timeout",
	413: "too_large",
	422: "invalid_request",
	429: "rate_limited",
	503: "overloaded",
	504: "upstream_timeout",
	524: "upstream_timeout",
	529: "overloaded",
};

const tooLong = /prompt is too long|exceeds?\b.{0,40}\bcontext|context (?:window|length|limit)/i;
const filtered = /content filter|blocked by|usage polic/i;
const noCredit = /credit balance|billing|purchase credits/i;
const aboutModel = /^model\b|\bmodel\b.{0,80}\b(?:not found|does not exist|not supported)/i;

const closedDoor =
	"The upstream did not accept the credentials this gateway has for it; the operator must look at them.";

const sentences: Readonly<Partial<Record<DenialKind, string>>> = {
	overloaded: "The upstream is overloaded; try again in a moment.",
	rate_limited: "The upstream takes no more calls at the moment; try again later.",
	upstream_timeout: "The upstream took too long to answer.",
	too_large: "The request is larger than the upstream takes.",
	model_not_found: "The upstream does not know this model.",
};

/** A closed door is told by the type, or by a status that speaks of credentials or of the operator's account. */
const isClosedDoor = (type: string, status: number, message: string): boolean =>
	/^(?:authentication|permission|billing)_error$/.test(type) ||
	status === 401 ||
	status === 402 ||
	status === 403 ||
	(status < 500 && noCredit.test(message));

const kindOf = (type: string, status: number, message: string): DenialKind => {
	const kind = kindsByType[type] ?? kindsByStatus[status] ?? "upstream";
	if (kind === "not_found") return aboutModel.test(message) ? "model_not_found" : "not_found";
	if (kind !== "invalid_request") return kind;
	if (tooLong.test(message)) return "context_length";
	return filtered.test(message) ? "content_policy" : kind;
};

const codes: Readonly<Partial<Record<DenialKind, string>>> = {
	context_length: "context_length_exceeded",
	model_not_found: "model_not_found",
};

const withoutAddresses = (text: string): string =>
	scrub(text).replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "[removed]");

const longest = 2000;

/** The error told in a body or in a stream. `status` is 0 where there is none: then the type alone decides. */
export const decodeToldError = (body: unknown, status = 0): Denial => {
	const root = asRecord(body);
	const told = isRecord(root["error"]) ? root["error"] : root;
	const type = asText(told["type"]) ?? "";
	const said = (asText(told["message"]) ?? asText(root["error"]) ?? "").slice(0, longest);
	if (isClosedDoor(type, status, said)) return { kind: "upstream", message: closedDoor };
	const kind = kindOf(type, status, said);
	const whole =
		status === 0 ? "The upstream failed without saying why." : `The upstream answered with status ${status}.`;
	// The upstream's own name for a model is not the client's affair.
	const message = kind === "model_not_found" || said === "" ? (sentences[kind] ?? whole) : withoutAddresses(said);
	return { kind, message, ...definedOnly({ code: codes[kind] }) };
};

const waitOf = (headers: Headers): number | undefined => {
	const milliseconds = Number(headers.get("retry-after-ms") ?? Number.NaN);
	if (milliseconds >= 0) return milliseconds / 1000;
	const seconds = Number(headers.get("retry-after") ?? Number.NaN);
	return seconds >= 0 ? seconds : undefined;
};

/** An answer that is not 2xx. Refused credentials are the operator's affair and never shown as the client's. */
export const decodeError = (status: number, headers: Headers, text: string): Denial => ({
	...decodeToldError(parseJson(text), status),
	...definedOnly({ retryAfterSeconds: waitOf(headers) }),
});
