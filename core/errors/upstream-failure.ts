/** What every upstream's failure has in common, whatever its protocol: status, and what is said of it. */
import type { Denial, DenialKind } from "../contract/fault.ts";
import { asRecord, asText, parseJson } from "../neutral/json.ts";

const kinds: Readonly<Record<number, DenialKind>> = {
	400: "invalid_request",
	401: "upstream",
	402: "upstream",
	403: "upstream",
	404: "not_found",
	405: "upstream",
	407: "upstream",
	408: "upstream_timeout",
	409: "upstream",
	413: "too_large",
	415: "upstream",
	422: "invalid_request",
	425: "upstream",
	429: "rate_limited",
	503: "overloaded",
	504: "upstream_timeout",
	524: "upstream_timeout",
	529: "overloaded",
};

/** What a status says before the body is looked at; undefined for one that says nothing by itself. 524 and 529 are vendors' own. */
export const kindOfStatus = (status: number): DenialKind | undefined => kinds[status];

/** Statuses by which an upstream refuses the operator's credentials or account. */
export const refusesCredentials = (status: number): boolean => status === 401 || status === 402 || status === 403;

/** Refused credentials are the operator's affair and never shown as the client's. */
export const credentialsRefused: Denial = {
	kind: "upstream",
	message: "The upstream did not accept what this gateway has for it; the operator must look at its key and account.",
};

/** Whether a failure is one of those: known by its words, which nothing else says. */
export const isRefusedCredentials = ({ kind, message }: Denial): boolean =>
	kind === credentialsRefused.kind && message === credentialsRefused.message;

/** Whether the upstream may have done, or still be doing, what it was asked: nobody knows after such a failure. */
export const mayBeDone = ({ kind, code }: Denial): boolean =>
	kind === "upstream_timeout" || code === "upstream_broke_off";

/** Codes of vendors for an account without credit, whatever the status they come with. */
const emptyAccountCode =
	/insufficient_?(?:user_?)?(?:quota|balance|credit|funds)|exceeded_current_quota|billing|arrearage|payment_required|credit_?balance/i;
const emptyAccountWords =
	/(?:credit|account) balance|insufficient (?:balance|credit|funds)|out of credits?\b|purchase (?:more )?credits|credits? (?:are|is|have been|has been) (?:depleted|used up|exhausted)|billing (?:hard )?limit|reached your specified api usage limits/i;

/** A quoted name or value. Not the value of a field in JSON: there a proxy repeats what another upstream told it. */
const quoted = /(?<![{,]\s*\\?["'`]\w+\\?["'`]\s*:\s*\\?)(?<!\w)(["'`])[^"'`]{1,64}\1(?!\w)/g;
/** A part or the whole of a path: `properties[billing]`, `properties.billing.type`, `billing_address`. */
const path = /\[[^\][]{1,64}\]|\b[A-Za-z]\w*(?:\.\w+|_\w+)+/g;

/**
 * What a message says by itself, without the names and values it quotes. Those come from the client's request, so they say
 * nothing of the operator's key and account.
 */
export const withoutNames = (message: string): string => message.replace(quoted, " ").replace(path, " ");

/** Whether an upstream says that an account is empty: the operator's, of which the client knows nothing. */
export const isEmptyAccount = (code: string | undefined, message: string | undefined): boolean =>
	emptyAccountCode.test(code ?? "") || emptyAccountWords.test(withoutNames(message ?? ""));

const sentences: Readonly<Partial<Record<DenialKind, string>>> = {
	overloaded: "The upstream is overloaded; try again in a moment.",
	rate_limited: "The upstream takes no more calls at the moment; try again later.",
	upstream_timeout: "The upstream took too long to answer.",
	too_large: "The request is larger than the upstream takes.",
	model_not_found: "The upstream does not know this model.",
};

/** The sentence for a failure of which the upstream said nothing. `status` is absent where it was told within an answer. */
export const sentenceFor = (kind: DenialKind, status?: number): string =>
	sentences[kind] ??
	(status === undefined ? "The upstream failed without saying why." : `The upstream answered with status ${status}.`);

/**
 * A body that tells an error as all protocols do, with a message in an object `error`: as it came, but for the list that
 * Google puts around it also at its addresses for OpenAI's clients, which find no error in a list. Undefined for any other.
 */
export const errorAsTold = (text: string): string | undefined => {
	const body = parseJson(text);
	const isList = Array.isArray(body);
	const root = asRecord(isList ? body[0] : body);
	if (asText(asRecord(root["error"])["message"]) === undefined) return undefined;
	return isList ? JSON.stringify(root) : text;
};
