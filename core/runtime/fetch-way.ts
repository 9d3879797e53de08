/** The way that `fetch` goes where it is not the usual: whom it believes, as whom it calls, by which proxy. Bun and Deno are told differently. */

/** Texts in PEM. */
export interface TlsMaterial {
	/** Authorities whose servers are believed. */
	readonly ca?: string;
	/** The certificate that is shown, and its key. */
	readonly cert?: string;
	readonly key?: string;
}

/** What `fetch` takes beside the standard. */
export interface FetchWay {
	readonly tls?: TlsMaterial;
	readonly proxy?: string;
	readonly client?: unknown;
}

interface DenoRuntime {
	createHttpClient(options: {
		caCerts?: readonly string[];
		cert?: string;
		key?: string;
		proxy?: { readonly url: string };
	}): unknown;
}

/** Deno's connections belong to a client; the same way after a reload goes on with those that are open. */
const clients = new Map<string, unknown>();

export const fetchWay = ({ tls, proxy }: Omit<FetchWay, "client">): FetchWay => {
	const deno = (globalThis as { Deno?: DenoRuntime }).Deno;
	if (!deno || (!tls && proxy === undefined)) return { ...(tls && { tls }), ...(proxy !== undefined && { proxy }) };
	const { ca, ...own } = tls ?? {};
	const name = JSON.stringify([ca, own.cert, own.key, proxy]);
	const options = {
		...own,
		...(ca !== undefined && { caCerts: [ca] }),
		...(proxy !== undefined && { proxy: { url: proxy } }),
	};
	const client = clients.get(name) ?? deno.createHttpClient(options);
	clients.set(name, client);
	return { client };
};
