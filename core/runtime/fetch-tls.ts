/** Whom `fetch` believes and as whom it calls, where that is not what the runtime does by itself. Bun and Deno are told differently. */

/** Texts in PEM. */
export interface TlsMaterial {
	/** Authorities whose servers are believed. */
	readonly ca?: string;
	/** The certificate that is shown, and its key. */
	readonly cert?: string;
	readonly key?: string;
}

/** What `fetch` takes beside the standard. */
export interface FetchTls {
	readonly tls?: TlsMaterial;
	readonly client?: unknown;
}

interface DenoRuntime {
	createHttpClient(options: { caCerts?: readonly string[]; cert?: string; key?: string }): unknown;
}

/** Deno's connections belong to a client; the same material after a reload goes on with those that are open. */
const clients = new Map<string, unknown>();

export const fetchTls = (tls: TlsMaterial): FetchTls => {
	const deno = (globalThis as { Deno?: DenoRuntime }).Deno;
	if (!deno) return { tls };
	const { ca, ...own } = tls;
	const name = JSON.stringify([ca, own.cert, own.key]);
	const client = clients.get(name) ?? deno.createHttpClient({ ...own, ...(ca !== undefined && { caCerts: [ca] }) });
	clients.set(name, client);
	return { client };
};
