/** The link by which the first person of all becomes an admin, and where links lead. */
import type { HostInfo, Operated, Route, Store } from "#core";
import type { Directory } from "./directory.ts";
import type { Invitations } from "./invitations.ts";
import { joinLink, type LinkBase } from "./people-routes.ts";

/** What is to be said beside a link where no plugin serves the page that it leads to; the link is good as soon as one does. */
export const withoutPage = (served: readonly Route[]): string | undefined =>
	served.some(({ path }) => path.startsWith("/console"))
		? undefined
		: 'no page answers there until the plugins have "use: console"';

interface FirstSignIn {
	readonly store: Store;
	readonly directory: Directory;
	readonly invitations: Invitations;
	readonly url: string | undefined;
	/** What is to be said beside it. */
	note(): string | undefined;
}

const hours = 24;

/** Made once for a database: an operator who lost it makes another with `portico person invite --role admin`. */
export const firstSignIn =
	({ store, directory, invitations, url, note }: FirstSignIn) =>
	async (address: string): Promise<string | undefined> => {
		if (!(await directory.isEmpty())) return undefined;
		const { secret, statement } = invitations.make({ role: "admin", hours, by: "first start" });
		await store.write([statement]);
		const said = note();
		return joinLink(url ?? address, secret) + (said === undefined ? "" : `   (${said})`);
	};
/** What the operator says; else where this request came to; else where this server listens, or would. */
export const linkBase =
	(host: HostInfo, url: string | undefined): LinkBase =>
	({ request: { headers }, origin }: Operated): string => {
		if (url !== undefined) return url;
		const asked = headers.get("origin") ?? (headers.has("host") ? origin : undefined);
		return asked ?? host.address() ?? "http://127.0.0.1";
	};
