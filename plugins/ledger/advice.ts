/** What an operator can do about a call that did not go well, by the words its record has for it. */
import { asList, asRecord, asText, isEmptyAccount, type WireRecord } from "#core";

/** By the reason of the call. */
const byReason: Readonly<Record<string, string>> = {
	token_expired: "Give the token a later date: portico token update ID --expires-at DATE.",
	token_disabled: "Enable the token again: portico token enable ID. If nobody should hold it, find who still does.",
	ip_not_allowed: "Add the address to the token's list, if it may call: portico token update ID --ip-whitelist ….",
	model_not_found:
		"Ask for a model that is configured, or add it to the router's models: portico explain --model NAME.",
	quota_exhausted:
		"Raise the token's quota, or its budget for the time: portico token update ID --quota DOLLARS, or --budgets 5/day.",
	quota_held: "Wait until the token's running calls end, or raise its quota.",
	model_not_priced: "Set the model's price under `prices` in the config file.",
	tier_not_priced: "Set the tier's price under `prices` in the config file.",
	rate_limited: "Ask more slowly, or raise the token's rate limit.",
	authentication:
		"No token has this key: it was copied wrongly, deleted, or guessed. The key digest tells whether it is always the same key.",
	overloaded: "Look at portico calls --ending upstream_failed, and at the log, for what could not be reached.",
};

const ownersMoney =
	"Raise what the token's owner may spend: portico person update ID --ceiling DOLLARS, or --budgets 5/day.";

const databaseAway =
	"The database did not answer: portico status says whether it does again, since when not, and what to do.";

/** By the status of an upstream. */
const byStatus: Readonly<Record<number, string>> = {
	401: "The upstream refuses Portico's key: set another for it and reload.",
	402: "The upstream's account has no credit: pay, or send its models elsewhere.",
	403: "The upstream refuses Portico's key: set another for it and reload.",
	404: "The upstream does not know the model: correct the target's model in the router.",
	408: "The upstream is too slow: try again later, or add a target beside it.",
	429: "The upstream takes no more calls now: wait, ask it for a higher limit, or add a key or a target.",
};

/** Without an answer, by the word there is for it. */
const byCode: readonly (readonly [RegExp, string])[] = [
	[/upstream_timeout|timed_out/, "The upstream is too slow: raise firstByteSeconds, or add a target beside it."],
	[/CERT|TLS|SSL|SELF_SIGNED/, "The upstream's certificate is not accepted: it has expired or is for another name."],
	[/ENOTFOUND|EAI_/, "The upstream's name is not known: correct its url."],
	[/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/, "Nothing answers at the upstream's address: correct its url, or start it."],
	[
		/something other than/,
		"Something else answers at the upstream's address, a proxy or a page to sign in: correct its url, or the way to it.",
	],
	[/broke_off|ECONNRESET/, "The upstream closed the connection: try again, and ask its operator if it lasts."],
];

const adviceOnAttempt = (attempt: WireRecord): string | undefined => {
	const [code, message, status] = [asText(attempt["code"]), asText(attempt["message"]), Number(attempt["status"])];
	if (isEmptyAccount(code, message)) return byStatus[402];
	const known = byStatus[status];
	if (known !== undefined) return known;
	const words = `${code ?? ""} ${message ?? ""}`;
	const [, told] = byCode.find(([pattern]) => pattern.test(words)) ?? [];
	if (told !== undefined) return told;
	if (status >= 500) return "The upstream itself fails: try again later, or add a target beside it.";
	return status >= 400 ? "The upstream refuses the request: its message says what the client must change." : undefined;
};

/** Undefined for a call that went well. */
export const adviceOn = (call: WireRecord): string | undefined => {
	const bad = asList(call["attempts"])
		.map(asRecord)
		.filter(({ code }) => code !== undefined);
	const onAttempt = bad.map(adviceOnAttempt).find((advice) => advice !== undefined);
	if (onAttempt !== undefined) return onAttempt;
	if (call["ending"] === "timed_out") return byStatus[408];
	const reason = asText(call["reason"]) ?? "";
	const message = asText(call["message"]) ?? "";
	if (reason === "quota_exhausted" && /token's owner/.test(message)) return ownersMoney;
	if (reason === "overloaded" && /\bdatabase\b/.test(message)) return databaseAway;
	return byReason[reason];
};
