/** What an operator can do about an upstream that failed, by what is known of the attempt. */
import type { AttemptRecord } from "../contract/outcome.ts";
import { isEmptyAccount } from "./upstream-failure.ts";

export const emptyAccount = "The upstream's account has no credit: pay, or send its models elsewhere.";
export const refusedKey = "The upstream refuses Portico's key: set another for it and reload.";
const refusedUse =
	"The upstream refuses Portico's key or what is asked with it, as where the account or its country may not: its message says which.";

const failing = "The upstream itself fails: try again later, or add a target beside it.";

const toldWithin =
	"The upstream tells of a failure in an answer that began well: its message says why. Add a target beside it if that lasts.";

/** Also for a call that was given up for want of time. */
export const slowUpstream = "The upstream is too slow: try again later, or add a target beside it.";

const byStatus: Readonly<Record<number, string>> = {
	401: refusedKey,
	402: emptyAccount,
	403: refusedUse,
	404: "The upstream does not know the model: correct the target's model in the router.",
	408: slowUpstream,
	429: "The upstream takes no more calls now: wait, ask it for a higher limit, or add a key or a target.",
};

/** Without an answer, by the word there is for it. */
const byCode: readonly (readonly [RegExp, string])[] = [
	[
		/fell silent/,
		"The upstream fell silent in the middle of its answer: raise server.idleSeconds if it needs longer, or add a target beside it.",
	],
	[
		/longer than the operator allows/,
		"The call ran for as long as one may: raise server.callSeconds, or send it to a faster model.",
	],
	[
		/no_answer_yet/,
		"The upstream had not answered when the call ended: it is slow, or hangs. Let clients wait longer, or lower firstByteSeconds so that a target beside it is tried in time.",
	],
	[/upstream_timeout|timed_out/, "The upstream is too slow: raise firstByteSeconds, or add a target beside it."],
	[
		/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
		"The upstream's certificate is not valid now: have it renewed there, or set this machine's clock.",
	],
	[/ALTNAME/, "The upstream's certificate is for another name: let its url have the name that it is for."],
	[
		/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/,
		"Nobody who is known here has signed the upstream's certificate, or it comes without those in between: have it send its whole chain, or name the authority in the upstream's tls.ca, for upstreams of tasks in NODE_EXTRA_CA_CERTS.",
	],
	[/CERT|TLS|SSL/, "The upstream's certificate is not accepted."],
	[
		/EPROTO/,
		"No TLS could be agreed on at the upstream's address: see whether its url is to begin with http://, which TLS it takes, and whether it wants to be shown a certificate (tls.cert, tls.key).",
	],
	[/ENOTFOUND|EAI_/, "The upstream's name is not known: correct its url."],
	[
		/EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL/,
		"This machine had no file descriptor or port left for a connection: raise its limit of open files (LimitNOFILE, ulimit -n), or add a node.",
	],
	[/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/, "Nothing answers at the upstream's address: correct its url, or start it."],
	[
		/something other than/,
		"Something else answers at the upstream's address, a proxy or a page to sign in: correct its url, or the way to it.",
	],
	[
		/answered with nothing/,
		"The upstream answers with nothing: correct its url if it always does, else try again, and ask its operator if it lasts.",
	],
	[
		/looks like JSON and breaks/,
		"The upstream writes JSON that cannot be read: whoever runs it must mend that, for no other try will.",
	],
	[
		/broke_off|stream_incomplete|ECONNRESET|answer breaks off/,
		"The upstream closed the connection: try again, and ask its operator if it lasts.",
	],
];

/** Undefined where nothing is known that could be done. */
export const adviceOnUpstream = ({
	code,
	message,
	status = 0,
}: Pick<AttemptRecord, "code" | "message" | "status">): string | undefined => {
	if (isEmptyAccount(code, message)) return emptyAccount;
	const known = byStatus[status];
	if (known !== undefined) return known;
	const words = `${code ?? ""} ${message ?? ""}`;
	const [, told] = byCode.find(([pattern]) => pattern.test(words)) ?? [];
	if (told !== undefined) return told;
	if (status >= 500 || /server_error|api_error|overloaded/.test(code ?? "")) return failing;
	if (status >= 400) return "The upstream refuses the request: its message says what the client must change.";
	if (status >= 300) return "The upstream's address leads elsewhere: correct its url.";
	// An attempt that went well has no word for how it failed.
	return status >= 200 && code !== undefined ? toldWithin : undefined;
};
