/** What an operator can do about a call that did not go well, by the words its record has for it. */
import {
	adviceOnUpstream,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	isEmptyAccount,
	slowUpstream,
	type WireRecord,
} from "#core";
import { adviceOnTask } from "../tasks/service.ts";

/** Of what a plugin or Portico itself failed at. */
const failedWithin =
	"Something failed within Portico: portico status names it with its last words, for ten minutes after it failed; the log has each failure under the call's id.";

/** By the reason of the call. */
const byReason: Readonly<Record<string, string>> = {
	token_expired: "Give the token a later date: portico token update ID --expires-at DATE.",
	token_disabled: "Enable the token again: portico token enable ID. If nobody should hold it, find who still does.",
	ip_not_allowed: "Add the address to the token's list, if it may call: portico token update ID --ips ….",
	model_not_found:
		"The model is not configured, or not on the token's list; portico explain --model NAME --token ID says which. Ask for another, add it to the router's models, or to the list: portico token update ID --models ….",
	quota_exhausted: "Raise the token's quota: portico token update ID --quota DOLLARS.",
	quota_held: "Wait until the token's running calls end, or raise its quota.",
	model_not_priced: "Set the model's price under `prices` in the config file.",
	tier_not_priced: "Set the tier's price under `prices` in the config file.",
	rate_limited: "Ask more slowly, or raise the token's rate limit.",
	authentication:
		"No token has this key: it was copied wrongly, rotated, deleted, or guessed. The key digest tells whether it is always the same key.",
	guard_failed: failedWithin,
	internal: failedWithin,
	overloaded: "Look at portico calls --ending upstream_failed, and at the log, for what could not be reached.",
};

/** By how the call ended, where that says more than what became of its attempts. */
const byEnding: Readonly<Record<string, string>> = {
	shut_down:
		"Portico was stopped while the call ran: ask again. server.drainSeconds says how long a stop waits for calls.",
	cut: "The answer was cut where it ran past its limit: what the client asked for, or what the quota still covered. Let the client ask for more, or raise the quota: portico token update ID --quota DOLLARS.",
	crash:
		"The node died while the call ran, and nobody knows what came of it: all that it held was charged. If that is too much, raise the token's quota by it: portico token update ID --quota DOLLARS.",
	lease_lost:
		"A node fell silent, so all that it had set aside was charged. If it comes back, what it did not use is given back.",
};

const ownersMoney =
	"Raise what the token's owner may spend: portico person update ID --ceiling DOLLARS, or --budgets 5/day.";

/** What the token's own budgets lack: a higher quota would let nothing through. */
const tokensBudget = "Raise the token's budget for the time: portico token update ID --budgets 5/day.";

const databaseAway =
	"The database did not answer: portico status says whether it does again, since when not, and what to do.";

const atLimit =
	"The answer reached its limit of tokens, in which thinking counts too: let the client ask for more, or for less thinking.";
const notTheModels =
	"The model or its provider stopped the answer, which may be empty: look at what was asked, or ask another model.";

const onStop = (word: string): string => (/length|max|limit|context/i.test(word) ? atLimit : notTheModels);

const onAttempt = (attempt: WireRecord): string | undefined => {
	const { code, message, status } = attempt;
	return adviceOnUpstream(definedOnly({ code: asText(code), message: asText(message), status: asNumber(status) }));
};

/** What stays so until somebody mends it; against anything else another target helps. */
const isToBeMended = ({ code, message, status }: WireRecord): boolean => {
	const answered = asNumber(status);
	if (isEmptyAccount(asText(code), asText(message))) return true;
	return answered === undefined || [301, 302, 307, 308, 401, 402, 403, 404].includes(answered);
};

/** Of a call that was answered after all. */
const onceAnswered = (attempt: WireRecord, advice: string): string =>
	isToBeMended(attempt)
		? `Another attempt answered. Of ${attempt["upstream"]}, which failed before: ${advice}`
		: `Another attempt answered after ${attempt["upstream"]} had failed: nothing need be done unless that lasts.`;

/** On the first of the attempts that failed of which something is known. */
const onAttempts = (call: WireRecord): string | undefined => {
	for (const attempt of asList(call["attempts"]).map(asRecord)) {
		const advice = attempt["code"] === undefined ? undefined : onAttempt(attempt);
		if (advice !== undefined) return call["ending"] === "completed" ? onceAnswered(attempt, advice) : advice;
	}
	return undefined;
};

const anyonesAdvice = (call: WireRecord): string | undefined => {
	const onEnding = byEnding[asText(call["ending"]) ?? ""];
	if (onEnding !== undefined) return onEnding;
	const onUpstream = onAttempts(call);
	if (onUpstream !== undefined) return onUpstream;
	if (call["ending"] === "timed_out") return slowUpstream;
	const reason = asText(call["reason"]) ?? "";
	const message = asText(call["message"]) ?? "";
	if (reason === "quota_exhausted" && /token's owner/.test(message)) return ownersMoney;
	if (reason === "quota_exhausted" && /\bbudget\b/.test(message)) return tokensBudget;
	if (reason === "overloaded" && /\bdatabase\b/.test(message)) return databaseAway;
	const stopped = asText(call["stopped"]);
	return byReason[reason] ?? (stopped === undefined ? undefined : onStop(stopped));
};

/** A task that failed; its reason is the word for it. */
const onTask = ({ ending, reason, message }: WireRecord): string | undefined =>
	ending === "failed" ? adviceOnTask({ code: asText(reason) ?? "", reason: asText(message) ?? "" }) : undefined;

/** Undefined for a call that went well. */
export const adviceOn = (call: WireRecord): string | undefined => {
	const token = asText(call["token"]) ?? "ID";
	const model = asText(call["model"]) ?? "";
	// A command with the id and the model in it can be pasted; a model that a shell would read otherwise is left to whoever types it.
	const advice = (call["protocol"] === "tasks" ? onTask(call) : undefined) ?? anyonesAdvice(call);
	return advice
		?.replace(/(?<=portico token \w+ |--token )ID/g, () => token)
		.replace(/(?<=--model )NAME/, (word) => (/^\w[\w.:/-]*$/.test(model) ? model : word));
};
