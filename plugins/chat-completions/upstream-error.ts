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

const tellingOf = (body: unknown): Told => {
	const root = asRecord(Array.isArray(body) ? body[0] : body);
	const error = isRecord(root["error"]) ? root["error"] : root;
	const code = asText(error["code"]) ?? asText(error["type"]);
	return definedOnly({
		message: messageIn(error) ?? messageIn(root),
		code: code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined,
		parameter: asText(error["param"])?.slice(0, 200),
	});
};

const tooLong =
	/context.?length|context window|maximum context|prompt (?:is )?too long|too many (?:input |prompt )?tokens|messages is too long/i;
const filtered = /content.?(?:filter|policy|management)|moderation/i;
const noModel = /\bmodel\b[^.]*(?:not (?:found|exist|supported)|does not exist|no such|unknown|invalid model)/i;

const kindOfBadRequest = (told: Told): DenialKind => {
	const code = told.code ?? "";
	const message = told.message ?? "";
	if (/context_length|too_many_prompt_tokens/.test(code) || tooLong.test(message)) return "context_length";
	if (filtered.test(code)) return "content_policy";
	return code === "model_not_found" ? "model_not_found" : "invalid_request";
};

const kindOfNotFound = (told: Told): DenialKind => {
	if (told.code === "model_not_found" || noModel.test(told.message ?? "")) return "model_not_found";
	return told.message === undefined ? "upstream" : "not_found";
};

const kindOf = (status: number, told: Told): DenialKind => {
	if (status === 404) return kindOfNotFound(told);
	const known = kindOfStatus(status);
	if (known === "rate_limited" && told.code === "server_is_overloaded") return "overloaded";
	if (known !== undefined && known !== "invalid_request") return known;
	if (status >= 500) return kindOfServerError(told);
	return status >= 400 ? kindOfBadRequest(told) : "upstream";
};

const kindOfServerError = (told: Told): DenialKind =>
	told.code === "server_is_overloaded" || told.code === "overloaded_error" ? "overloaded" : "upstream";

/** The status that vendors put into an error told within an answer. */
const statusIn = (error: WireRecord): number | undefined =>
	[error["status"], error["status_code"], error["code"]].find(
		(value): value is number => typeof value === "number" && value >= 400 && value < 600,
	);

/** The status that OpenAI would have answered with, had the error come before the answer. */
const statusOfCode = (told: Told): number => {
	const code = told.code ?? "";
	if (/rate_?limit|insufficient_quota|too_many_requests/i.test(code)) return 429;
	if (/overloaded/i.test(code)) return 503;
	if (/context_length|content_filter|invalid_|unsupported|tool_use_failed/i.test(code)) return 400;
	return 500;
};

/** An error object within a 2xx answer or a stream. */
export const decodeToldError = (body: unknown): Denial => {
	const told = tellingOf(body);
	const error = asRecord(asRecord(body)["error"]);
	const status = statusIn(error) ?? statusOfCode(told);
	return denialOf(status, told, undefined);
};

const denialOf = (status: number, told: Told, wait: number | undefined): Denial => {
	if (isClosedDoor(status)) return closedDoor;
	const kind = kindOf(status, told);
	return {
		kind,
		message: scrubMessage(told.message ?? sentenceFor(kind)),
		...definedOnly({ code: told.code, parameter: told.parameter, retryAfterSeconds: wait }),
	};
};

/** An answer that is not 2xx. Refused credentials are the operator's affair and never shown as the client's. */
export const decodeError = (status: number, headers: Headers, text: string): Denial => {
	const told = tellingOf(parseJson(text));
	return denialOf(status, told, retryAfterIn(headers) ?? waitSaidIn(told.message ?? ""));
};
