/** Who may call an admin route: from where, under which name, and with which token. */
import { timingSafeEqual } from "node:crypto";
import type { Admitted } from "../contract/call.ts";
import { type Denial, deny } from "../contract/fault.ts";
import { notServed } from "../relay/routes/not-served.ts";
import type { Networks } from "../wire/networks.ts";
import { isOwnOrigin } from "../wire/origins.ts";

export interface AdminRules {
	/** Addresses that may call. */
	readonly allow: Networks;
	readonly token: string;
	/** Whether a Host header names this server: a page of a foreign name that resolves to it must not reach the admin routes. */
	hasHost(host: string): boolean;
}

const sameText = (given: string, expected: string): boolean => {
	const a = new TextEncoder().encode(given);
	const b = new TextEncoder().encode(expected);
	return a.length === b.length && timingSafeEqual(a, b);
};

const foreignHost = deny(
	"permission",
	"The admin routes answer only under this server's own names: its address, localhost, or one of `server.hosts`.",
	{ code: "host_not_allowed" },
);

const foreignOrigin = deny(
	"permission",
	"The admin routes do not answer pages of other origins. Behind a proxy, let it pass the Host header on.",
	{ code: "origin_not_allowed" },
);

/** Why an admin route may not be reached from there, or by a page in a browser: one of another origin, or of a foreign name. */
const refuseOutsider = (
	call: Admitted,
	peer: string | undefined,
	admin: AdminRules,
	trustedProxies: Networks,
): Denial | undefined => {
	const { headers } = call.request;
	const forwarded = headers.has("x-forwarded-for") || headers.has("forwarded");
	const known = call.address !== undefined && admin.allow.has(call.address);
	if (!known || (forwarded && !trustedProxies.has(peer))) return notServed(call.request);
	if (!admin.hasHost(headers.get("host") ?? call.url.host)) return foreignHost;
	const origin = headers.get("origin");
	return origin === null || isOwnOrigin(origin, call.origin) ? undefined : foreignOrigin;
};

/** Admin routes do not exist for addresses that may not use them. */
export const adminAccess =
	(admin: AdminRules, trustedProxies: Networks): ((call: Admitted, peer: string | undefined) => Denial | undefined) =>
	(call, peer) => {
		const outsider = refuseOutsider(call, peer, admin, trustedProxies);
		if (outsider) return outsider;
		const given = /^Bearer\s+(\S+)$/i.exec(call.request.headers.get("authorization") ?? "")?.[1] ?? "";
		if (!sameText(given, admin.token))
			return deny(
				"authentication",
				"This route needs the admin token, as `Authorization: Bearer …`. The server names its file at its first start.",
				{
					code: "invalid_admin_token",
				},
			);
		return undefined;
	};
