/** What it means that an upstream gave no answer at all. */
import { asRecord, asText, deny, Fault } from "#core";

/** Failures before anything was sent. */
const neverSent =
	/^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED)/;

const wasSent = (error: unknown): boolean => !neverSent.test(asText(asRecord(error)["code"]) ?? "");

/** The connection failed. */
export const unreachable = (name: string, cause: unknown): Fault =>
	new Fault(
		wasSent(cause)
			? deny("upstream", `The upstream "${name}" closed the connection before it answered. Ask again.`, {
					code: "upstream_broke_off",
				})
			: deny(
					"upstream",
					`The upstream "${name}" could not be reached. Ask again, or ask the operator to check its address.`,
				),
		cause,
	);

/** Its first byte did not come in time. */
export const slow = (name: string, seconds: number): Fault =>
	new Fault(
		deny("upstream_timeout", `The upstream "${name}" did not begin to answer within ${seconds} seconds. Ask again.`),
	);
