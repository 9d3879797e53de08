/** Why a request to another server got no answer, and whether anything had been sent by then: nobody pays for what was not. */
import { type Denial, deny, Fault, isFault } from "../contract/fault.ts";
import { asRecord, asText } from "../neutral/json.ts";

/** Deno's `fetch` gives a sentence in place of the system's word. `(Connect)` is all that comes before the request is sent. */
const sentences: readonly (readonly [pattern: RegExp, code: string])[] = [
	[/Too many open files/, "EMFILE"],
	[/\(Connect\): dns error/, "ENOTFOUND"],
	[/Connection refused|port \d+ are blocked/, "ECONNREFUSED"],
	[/peer certificate: Expired/, "CERT_HAS_EXPIRED"],
	[/peer certificate: .*NotValidForName/, "ERR_TLS_CERT_ALTNAME_INVALID"],
	[/peer certificate/, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
	[/\(Connect\): tcp/, "EHOSTUNREACH"],
	[/\(Connect\)/, "EPROTO"],
	[/\(SendRequest\)|Connection reset|reading a body from connection/, "ECONNRESET"],
];

const codeIn = (error: unknown): string | undefined => asText(asRecord(error)["code"]);

/** The system's own word for a connection that failed: `ECONNREFUSED`, `CERT_HAS_EXPIRED`. Undefined where it was something else. */
export const unansweredCode = (error: unknown): string | undefined => {
	if (!(error instanceof Error)) return undefined;
	const { message, cause } = error;
	const known = codeIn(error) ?? codeIn(cause);
	if (known !== undefined || error.name !== "TypeError") return known;
	// The address may hold a client's words.
	const said = `${message}: ${cause instanceof Error ? cause.message : ""}`.replace(/https?:\S+/g, "");
	return sentences.find(([pattern]) => pattern.test(said))?.[1];
};

/** Failures before anything was sent; EPROTO is a TLS handshake that came to nothing. */
const unsent =
	/^(?:ECONNREFUSED|ConnectionRefused|EPROTO|ENOTFOUND|EAI_|DNSException|EHOSTUNREACH|ENETUNREACH|ERR_TLS|ERR_SSL|ERR_INVALID_URL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/;

/** This machine could open no socket: nothing was sent either. */
const noSocket = /^(?:EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|FailedToOpenSocket)/;

export const lacksSocket = (code: string): boolean => noSocket.test(code);

export const isUnsent = (code: string): boolean => unsent.test(code) || noSocket.test(code);

const denialOf = (name: string, code: string): Denial => {
	if (lacksSocket(code))
		return deny("upstream", `This gateway has no socket left to reach the upstream "${name}" by. Ask again.`);
	if (isUnsent(code))
		return deny(
			"upstream",
			`The upstream "${name}" could not be reached. Ask again, or ask the operator to check its address.`,
		);
	const message = `The upstream "${name}" closed the connection before it answered. Ask again.`;
	return deny("upstream", message, { code: "upstream_broke_off" });
};

/** The failure of a connection, told of the upstream by its name. */
export const unreachable = (name: string, cause: unknown): Fault =>
	new Fault(denialOf(name, unansweredCode(cause) ?? ""), cause);

/** A connection that ended before an answer was there: nobody knows what became of the request. */
const brokenOff = /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ConnectionClosed|UND_ERR_SOCKET)/;

/** What a plugin's own upstream threw: a connection that failed is told as it is of any other, the rest stays what it is. */
export const asUnreachable = (thrown: unknown, name: string): unknown => {
	const code = isFault(thrown) ? undefined : unansweredCode(thrown);
	return code !== undefined && (isUnsent(code) || brokenOff.test(code)) ? unreachable(name, thrown) : thrown;
};
