/** The cookie of a session: opaque, for the server only, for this site only. */
import type { Admitted } from "#core";
import { isPlainLoopback } from "./same-origin.ts";

/** Browsers take the first only over TLS, for exactly this host and every path. */
const secureName = "__Host-portico-session";
/** Plain http on this very machine. */
const plainName = "portico-session";

/** How people reach this server. */
export interface Reach {
	/** The address that people use, where the operator says it. */
	readonly url: string | undefined;
	/** The operator lets people sign in without TLS. */
	readonly insecure: boolean;
}

/** A page of a neighbouring name may set a cookie of any name but the first; over TLS it would sign somebody in as whom it likes. */
const takesPlain = (call: Admitted, { url, insecure }: Reach): boolean =>
	insecure || (isPlainLoopback(call.origin) && url?.startsWith("https:") !== true);

/** The session's secret that a request carries. */
export const sessionSecretOf = (call: Admitted, reach: Reach): string | undefined => {
	const cookies = new Map(
		(call.request.headers.get("cookie") ?? "").split(";").map((pair) => {
			const equals = pair.indexOf("=");
			return [pair.slice(0, Math.max(0, equals)).trim(), pair.slice(equals + 1).trim()] as const;
		}),
	);
	return cookies.get(secureName) ?? (takesPlain(call, reach) ? cookies.get(plainName) : undefined);
};

/** Whether the browser reached this server without TLS, as far as it says; TLS may have ended before this server. */
const isPlain = (call: Admitted, insecure: boolean): boolean => {
	const origin = call.request.headers.get("origin");
	if (origin?.startsWith("https:")) return false;
	return isPlainLoopback(call.origin) || (insecure && origin !== null);
};

const written = (name: string, secret: string, seconds: number): string =>
	`${name}=${secret}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${name === secureName ? "; Secure" : ""}`;

export const sessionCookie = (call: Admitted, secret: string, seconds: number, insecure: boolean): string =>
	written(isPlain(call, insecure) ? plainName : secureName, secret, seconds);

/** What takes the cookie away again, whichever it was. */
export const endedCookies: readonly string[] = [plainName, secureName].map((name) => written(name, "", 0));
