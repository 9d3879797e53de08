/**
 * An upstream's failure as a denial fit for the client: OpenAI's shape, the shapes of vendors that speak its protocol,
 * and pages of proxies in between.
 */
import {
	asRecord,
	asText,
	closedDoor,
	type Denial,
	type DenialKind,
	definedOnly,
	isClosedDoor,
	isRecord,
	kindOfStatus,
	lookup,
	parseJson,
	retryAfterIn,
	scrubMessage,
	sentenceFor,
	type WireRecord,
	waitSaidIn,
} from "#core";

/** What an error object says, wherever it stood. */
interface Told {
	readonly message?: string;
	readonly code?: string;
	readonly parameter?: string;
}

const messageIn = (body: WireRecord): string | undefined => {
	const detail = body["detail"];
	const first = Array.isArray(detail) ? asText(asRecord(detail[0])["msg"]) : asText(detail);
	return asText(body["message"]) || asText(body["error"]) || first || undefined;
};

const usable = (code: string | undefined): string | undefined =>
	code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined;

/** `{error:{…}}`, `{type:"error",…}`, a bare `{code,message}` and a list around any of them. */
const tellingOf = (body: unknown): Told => {
	const root = asRecord(Array.isArray(body) ? body[0] : body);
	const error = isRecord(root["error"]) ? root["error"] : root;
	const type = asText(error["type"]);
	return definedOnly({
		message: messageIn(error) ?? messageIn(root),
		code: usable(asText(error["code"]) ?? (type === "error" ? undefined : type)),
		parameter: asText(error["param"])?.slice(0, 200),
	});
};

const tooLong = /context.?length|context window|maximum context|prompt is too long|too many (?:input )?tokens/i;
const filtered = /content.?(?:filter|policy|management)|moderation|safety/i;
const noModel = /\bmodel\b[^.]*(?:not (?:found|exist|supported)|does not exist|no such|unknown|invalid model)/i;

const byCode = lookup<DenialKind>({
	context_length_exceeded: "context_length",
	model_not_found: "model_not_found",
	insufficient_quota: "rate_limited",
	rate_limit_exceeded: "rate_limited",
	rate_limit_error: "rate_limited",
	server_is_overloaded: "overloaded",
	overloaded_error: "overloaded",
	slow_down: "overloaded",
	server_error: "upstream",
	invalid_prompt: "invalid_request",
	invalid_request_error: "invalid_request",
	bio_policy: "content_policy",
	cyber_policy: "content_policy",
	image_content_policy_violation: "content_policy",
});

const kindOfBadRequest = ({ code = "", message = "" }: Told): DenialKind => {
	if (byCode[code] === "context_length" || tooLong.test(message)) return "context_length";
	if (byCode[code] === "content_policy" || filtered.test(code)) return "content_policy";
	if (code === "insufficient_quota") return "rate_limited";
	return code === "model_not_found" ? "model_not_found" : "invalid_request";
};

const kindOfNotFound = ({ code, message }: Told): DenialKind => {
	if (code === "model_not_found" || noModel.test(message ?? "")) return "model_not_found";
	return message === undefined ? "upstream" : "not_found";
};

const kindOf = (status: number, told: Told): DenialKind => {
	if (status === 404) return kindOfNotFound(told);
	const known = kindOfStatus(status);
	if (known === "rate_limited" && byCode[told.code ?? ""] === "overloaded") return "overloaded";
	if (known !== undefined && known !== "invalid_request") return known;
	if (status >= 500) return byCode[told.code ?? ""] === "overloaded" ? "overloaded" : "upstream";
	return status >= 400 ? kindOfBadRequest(told) : "upstream";
};

/** An error object within a 2xx answer or a stream; its code decides, for there is no status. */
export const decodeToldError = (body: unknown): Denial => {
	const told = tellingOf(body);
	const byWords = tooLong.test(told.message ?? "") ? "context_length" : "upstream";
	const kind = byCode[told.code ?? ""] ?? byWords;
	const message = told.message ?? sentenceFor(kind);
	return {
		kind,
		message: scrubMessage(message),
		...definedOnly({ code: told.code, parameter: told.parameter, retryAfterSeconds: waitSaidIn(message) }),
	};
};

/** An answer that is not 2xx. Refused credentials are the operator's affair and never shown as the client's. */
export const decodeError = (status: number, headers: Headers, text: string): Denial => {
	if (isClosedDoor(status)) return closedDoor;
	const told = tellingOf(parseJson(text));
	const kind = kindOf(status, told);
	const message = told.message ?? sentenceFor(kind, status);
	return {
		kind,
		message: scrubMessage(message),
		...definedOnly({
			code: told.code,
			parameter: told.parameter,
			retryAfterSeconds: retryAfterIn(headers) ?? waitSaidIn(message),
		}),
	};
};
