/** The link by which the first person of all becomes an admin, and where links lead. */
import type { HostInfo, Operated, Store } from "#core";
import type { Directory } from "./directory.ts";
import type { Invitations } from "./invitations.ts";
import { joinLink, type LinkBase } from "./people-routes.ts";

const hours = 24;

/** Made once for a database: an operator who lost it makes another with `portico person invite --role admin`. */
export const firstSignIn =
	(store: Store, directory: Directory, invitations: Invitations, url: string | undefined) =>
	async (address: string): Promise<string | undefined> => {
		if (!(await directory.isEmpty())) return undefined;
		const { secret, statement } = invitations.make({ role: "admin", hours, by: "first start" });
		await store.write([statement]);
		return joinLink(url ?? address, secret);
	};
/** What the operator says; else where this request came to; else where this server listens, or would. */
export const linkBase =
	(host: HostInfo, url: string | undefined): LinkBase =>
	({ request: { headers }, origin }: Operated): string => {
		if (url !== undefined) return url;
		const asked = headers.get("origin") ?? (headers.has("host") ? origin : undefined);
		return asked ?? host.address() ?? "http://127.0.0.1";
	};
