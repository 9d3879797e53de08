/**
 * An upstream's failure as a denial fit for the client, where it speaks one of OpenAI's protocols: their shape, the shapes
 * of vendors that speak as they do, and pages of proxies in between.
 */
import type { Denial, DenialKind } from "../contract/fault.ts";
import { asRecord, asText, definedOnly, isRecord, lookup, parseJson, type WireRecord } from "../neutral/json.ts";
import { fieldComplaints } from "./field-complaints.ts";
import { scrubMessage } from "./redact.ts";
import { retryAfterIn, waitSaidIn } from "./retry.ts";
import {
	credentialsRefused,
	isEmptyAccount,
	kindOfStatus,
	refusesCredentials,
	sentenceFor,
} from "./upstream-failure.ts";

/** What an error object says, wherever it stood. */
interface Told {
	readonly message?: string;
	readonly code?: string;
	/** The sort of error, which says less than the code. */
	readonly type?: string;
	readonly parameter?: string;
}

const messageIn = (body: WireRecord): string | undefined => {
	const { message, detail } = body;
	const complaints = fieldComplaints(detail) ?? fieldComplaints(asRecord(message)["detail"]);
	return asText(message) || asText(body["error"]) || complaints || asText(detail) || undefined;
};

const usable = (code: string | undefined): string | undefined =>
	code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined;

/** The error object: `{error:{…}}`, `{type:"error",…}`, a bare `{code,message}`, or a list around any of them. */
const errorIn = (body: unknown): { readonly root: WireRecord; readonly error: WireRecord } => {
	const root = asRecord(Array.isArray(body) ? body[0] : body);
	return { root, error: isRecord(root["error"]) ? root["error"] : root };
};

const tellingOf = (body: unknown): Told => {
	const { root, error } = errorIn(body);
	const named = asText(error["type"]);
	const type = usable(named === "error" ? undefined : named);
	return definedOnly({
		message: messageIn(error) ?? messageIn(root),
		code: usable(asText(error["code"]) ?? type),
		type,
		parameter: asText(error["param"])?.slice(0, 200),
	});
};

const tooLong =
	/context.?length|context window|maximum context|prompt (?:is )?too long|too many (?:input |prompt )?tokens|messages is too long/i;
const tooLongCode = /context_length|too_many_prompt_tokens/i;
const filtered = /content.?(?:filter|policy|management)|moderation|safety/i;
const noModel = /\bmodel\b.{0,200}?(?:not (?:found|exist|supported)|no such|unknown|invalid model)/i;

const byCode = lookup<DenialKind>({
	model_not_found: "model_not_found",
	rate_limit_exceeded: "rate_limited",
	rate_limit_error: "rate_limited",
	server_is_overloaded: "overloaded",
	overloaded_error: "overloaded",
	slow_down: "overloaded",
	server_error: "upstream",
	bio_policy: "content_policy",
	cyber_policy: "content_policy",
	image_content_policy_violation: "content_policy",
	misalignment_policy_violation: "content_policy",
	// A picture that the client sent, or whose address it gave: no upstream takes it, however often it is asked.
	image_too_large: "invalid_request",
	image_too_small: "invalid_request",
	image_parse_error: "invalid_request",
	image_file_too_large: "invalid_request",
	empty_image_file: "invalid_request",
	failed_to_download_image: "invalid_request",
	image_file_not_found: "invalid_request",
});

/** Codes of vendors, by a word in them. */
const byWord: readonly (readonly [RegExp, DenialKind])[] = [
	[/rate_?limit|too_many_requests/i, "rate_limited"],
	[/overloaded/i, "overloaded"],
	[tooLongCode, "context_length"],
	[filtered, "content_policy"],
	[/invalid_|unsupported|tool_use_failed/i, "invalid_request"],
];

const kindOfBadRequest = ({ code = "", message = "" }: Told): DenialKind => {
	if (tooLongCode.test(code) || tooLong.test(message)) return "context_length";
	if (byCode[code] === "content_policy" || filtered.test(code)) return "content_policy";
	return code === "model_not_found" ? "model_not_found" : "invalid_request";
};

const kindOfNotFound = ({ code, message }: Told): DenialKind => {
	if (code === "model_not_found" || noModel.test(message ?? "")) return "model_not_found";
	return message === undefined ? "upstream" : "not_found";
};

const kindOf = (status: number, told: Told): DenialKind => {
	if (status === 404) return kindOfNotFound(told);
	const known = kindOfStatus(status);
	const overloaded = byCode[told.code ?? ""] === "overloaded";
	if (known === "rate_limited" && overloaded) return "overloaded";
	if (known !== undefined && known !== "invalid_request") return known;
	if (status >= 500) return overloaded ? "overloaded" : "upstream";
	return status >= 400 ? kindOfBadRequest(told) : "upstream";
};

const kindOfWord = (word: string): DenialKind | undefined =>
	byCode[word] ?? byWord.find(([pattern]) => pattern.test(word))?.[1];

/** The kind of an error told without a status. */
const kindOfCode = (told: Told): DenialKind => {
	const { code = "", type = "", message = "" } = told;
	const known = kindOfWord(code) ?? kindOfWord(type);
	if (known !== undefined && known !== "invalid_request") return known;
	if (tooLong.test(message)) return "context_length";
	return known ?? "upstream";
};

/** Some speak of the operator's plan where they mean a limit that passes; the wait they name is kept. */
const fitMessage = (kind: DenialKind, { message }: Told): string | undefined =>
	kind === "rate_limited" && /\bbilling\b/i.test(message ?? "") ? undefined : message;

const denialOf = (kind: DenialKind, told: Told, status?: number, wait?: number): Denial => {
	const message = fitMessage(kind, told) ?? sentenceFor(kind, status);
	const retryAfterSeconds = wait ?? waitSaidIn(told.message ?? "");
	return {
		kind,
		message: scrubMessage(message),
		...definedOnly({ code: told.code, parameter: told.parameter, retryAfterSeconds }),
	};
};

/** A key or an account that is refused, by the status or by what is said of it. */
const isRefused = (status: number | undefined, { code, message }: Told): boolean =>
	refusesCredentials(status ?? 0) || isEmptyAccount(code, message);

/** An answer that is not 2xx. */
export const openAiFailure = (status: number, headers: Headers, text: string): Denial => {
	const told = tellingOf(parseJson(text));
	if (isRefused(status, told)) return credentialsRefused;
	return denialOf(kindOf(status, told), told, status, retryAfterIn(headers));
};

/** The status that vendors put into an error told within an answer. */
const statusIn = (error: WireRecord): number | undefined =>
	[error["status"], error["status_code"], error["code"]].find(
		(value): value is number => typeof value === "number" && value >= 400 && value < 600,
	);

/** An error object within a 2xx answer or a stream. */
export const openAiFailureWithin = (body: unknown): Denial => {
	const told = tellingOf(body);
	const status = statusIn(errorIn(body).error);
	if (isRefused(status, told)) return credentialsRefused;
	return denialOf(status === undefined ? kindOfCode(told) : kindOf(status, told), told, status);
};
