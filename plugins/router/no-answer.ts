/** What it means that an upstream gave no answer at all. */
import { asRecord, asText, type Denial, deny, Fault } from "#core";

/** Failures before anything was sent; EPROTO is a TLS handshake that came to nothing. */
const neverSent =
	/^(ECONNREFUSED|EPROTO|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/;

/** This machine could open no socket: nothing was sent either. */
const noSocket = /^(EMFILE|ENFILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL)/;

const denialOf = (name: string, code: string): Denial => {
	if (noSocket.test(code))
		return deny("upstream", `This gateway has no socket left to reach the upstream "${name}" by. Ask again.`);
	if (neverSent.test(code))
		return deny(
			"upstream",
			`The upstream "${name}" could not be reached. Ask again, or ask the operator to check its address.`,
		);
	const message = `The upstream "${name}" closed the connection before it answered. Ask again.`;
	return deny("upstream", message, { code: "upstream_broke_off" });
};

/** The connection failed. */
export const unreachable = (name: string, cause: unknown): Fault =>
	new Fault(denialOf(name, asText(asRecord(cause)["code"]) ?? ""), cause);

/** Its first byte did not come in time. */
export const slow = (name: string, seconds: number): Fault =>
	new Fault(
		deny("upstream_timeout", `The upstream "${name}" did not begin to answer within ${seconds} seconds. Ask again.`),
	);
