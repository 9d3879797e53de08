/** The cookie of a session: opaque, for the server only, for this site only. */
import type { Admitted } from "#core";
import { isPlainLoopback } from "./same-origin.ts";
import { looksLikeSecret } from "./secret.ts";

/** Browsers take the first only over TLS, for exactly this host and every path. */
const secureName = "__Host-portico-session";
/** Plain http on this very machine. */
const plainName = "portico-session";

/** The session's secret that a request carries. */
export const sessionSecretOf = ({ headers }: Request): string | undefined => {
	const cookies = new Map(
		(headers.get("cookie") ?? "").split(";").map((pair) => {
			const equals = pair.indexOf("=");
			return [pair.slice(0, Math.max(0, equals)).trim(), pair.slice(equals + 1).trim()] as const;
		}),
	);
	return cookies.get(secureName) ?? cookies.get(plainName);
};

/** Whether the browser reached this server without TLS, as far as it says; TLS may have ended before this server. */
const isPlain = (call: Admitted, insecure: boolean): boolean => {
	const origin = call.request.headers.get("origin");
	if (origin?.startsWith("https:")) return false;
	return isPlainLoopback(call.origin) || (insecure && origin !== null);
};

/** `insecure`: the operator lets people sign in without TLS. */
export const sessionCookie = (call: Admitted, secret: string, seconds: number, insecure: boolean): string => {
	const rest = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
	return isPlain(call, insecure) ? `${plainName}=${secret}; ${rest}` : `${secureName}=${secret}; ${rest}; Secure`;
};

/** What takes the cookie away again, whichever it was. */
export const endedCookies: readonly string[] = [
	`${plainName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
	`${secureName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure`,
];

/** Garbage is told from secrets before the database is asked. */
export const isSessionSecret = looksLikeSecret;
