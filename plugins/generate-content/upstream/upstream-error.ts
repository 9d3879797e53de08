/** An upstream's failure as a denial fit for the client. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	credentialsRefused,
	type Denial,
	type DenialKind,
	definedOnly,
	isEmptyAccount,
	isRecord,
	kindOfStatus,
	parseJson,
	refusesCredentials,
	retryAfterIn,
	scrubMessage,
	sentenceFor,
	type WireRecord,
	withoutNames,
} from "#core";

/** What belongs to the operator in Google's own words, beyond what is taken out of every upstream's. */
const accounts: readonly (readonly [RegExp, string])[] = [
	[/\bkey\s*[:=]\s*[\w*-]{6,}/gi, "[key]"],
	[/\b(?:projects?|organizations?|folders?|consumers?)[/: ]['"]?(?=[\w:.-]*\d)[\w:.-]+/gi, "[project]"],
	[/\b[\w.+-]+@[\w-]+\.[\w.-]+/g, "[account]"],
];

/** The message without keys, addresses, accounts and project ids. */
const clean = (text: string): string =>
	accounts.reduce((kept, [pattern, word]) => kept.replace(pattern, word), scrubMessage(text));

/** What an error says, with the status it claims. */
interface Told {
	readonly status: number;
	readonly word: string;
	readonly message: string | undefined;
	readonly details: readonly WireRecord[];
}

const tellingOf = (body: unknown, status: number): Told => {
	const root = asRecord(Array.isArray(body) ? body[0] : body);
	const error = isRecord(root["error"]) ? root["error"] : root;
	return {
		status: asNumber(error["code"]) ?? status,
		word: asText(error["status"]) ?? "",
		message: asText(error["message"]) || asText(root["error"]) || undefined,
		details: asList(error["details"]).filter(isRecord),
	};
};

const detail = (told: Told, type: string): WireRecord | undefined =>
	told.details.find((entry) => asText(entry["@type"])?.endsWith(type));

const waitOf = (told: Told, headers?: Headers): number | undefined => {
	const delay = /^(\d+(?:\.\d+)?)s$/.exec(asText(detail(told, "RetryInfo")?.["retryDelay"]) ?? "")?.[1];
	if (delay !== undefined) return Number(delay);
	return headers && retryAfterIn(headers);
};

const tooLong =
	/exceeds? the maximum number of (?:input )?tokens|input token count|context (?:length|window)|too many tokens/i;
/** What is between Portico and Google: the key, its account, where its host stands. */
const ours = /API.?key|user location|billing|consumer|permission|not been used in project|service account|credential/i;
/** A state of the client's own files, which Google tells in the same words as one of the account. */
const ofTheClients = /\bfile\b|cached ?content/i;
const modelMissing = /\bmodels?\b/i;

const kindOfBadRequest = (told: Told): DenialKind => {
	const message = told.message ?? "";
	const reason = asText(detail(told, "ErrorInfo")?.["reason"]) ?? "";
	if (/^(?:API_KEY|SERVICE_|BILLING|CONSUMER)/.test(reason)) return "upstream";
	if (tooLong.test(message)) return "context_length";
	const precondition = told.word === "FAILED_PRECONDITION" && !ofTheClients.test(message);
	return precondition || ours.test(withoutNames(message)) ? "upstream" : "invalid_request";
};

const kindOf = (told: Told): DenialKind => {
	if (told.status < 500 && isEmptyAccount(undefined, told.message)) return "upstream";
	const kind = kindOfStatus(told.status) ?? "upstream";
	if (kind === "invalid_request") return kindOfBadRequest(told);
	if (kind !== "not_found") return kind;
	if (told.message === undefined) return "upstream";
	return modelMissing.test(told.message) ? "model_not_found" : "not_found";
};

/** Told in our own words always: Google's speak of its quotas and of the operator's projects. */
const toldByUs: readonly DenialKind[] = ["rate_limited", "overloaded", "upstream_timeout"];

/** Words of clients' libraries for what they act on. */
const codes: Partial<Record<DenialKind, string>> = {
	context_length: "context_length_exceeded",
	model_not_found: "model_not_found",
};

/** What a 400 says of the upstream's side is of the key and the account too; a redirect or a page that is not there is not. */
const isRefused = ({ status, message }: Told): boolean =>
	status === 400 || refusesCredentials(status) || (status < 500 && isEmptyAccount(undefined, message));

const denialOf = (told: Told, headers?: Headers): Denial => {
	const kind = kindOf(told);
	const wait = definedOnly({ retryAfterSeconds: waitOf(told, headers) });
	if (kind === "upstream" && isRefused(told)) return { ...credentialsRefused, ...wait };
	const isOurs = toldByUs.includes(kind) || (kind === "upstream" && told.status < 500);
	const said = told.message === undefined || isOurs ? undefined : clean(told.message);
	return { kind, message: said ?? sentenceFor(kind, told.status), ...definedOnly({ code: codes[kind] }), ...wait };
};

/** An answer that is not 2xx. Refused credentials, accounts and quotas are the operator's, never shown as the client's. */
export const decodeError = (status: number, headers: Headers, text: string): Denial => {
	const told = tellingOf(parseJson(text), status);
	return denialOf({ ...told, status }, headers);
};

/** An error told within a 2xx answer or a stream. */
export const decodeToldError = (body: unknown): Denial => denialOf(tellingOf(body, 500));
