/** Origins as browsers send them: scheme, name and port of the server whose page asks. */

/** The origin of a scheme and a Host header, without the scheme's own port; undefined where the header is no host. */
export const originOf = (scheme: string, host: string): string | undefined => {
	const address = `${scheme}://${host}`;
	return URL.canParse(address) ? new URL(address).origin : undefined;
};

/**
 * Whether a browser's `Origin` is that of this server, which it was reached at as `own`. TLS that ended before this server
 * without a word of it counts: nobody else has a page under https of the same name.
 */
export const isOwnOrigin = (origin: string, own: string): boolean =>
	origin === own || (own.startsWith("http:") && origin === originOf("https", own.slice("http://".length)));
