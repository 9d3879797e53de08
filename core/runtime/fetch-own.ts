/** Asks a server of this machine, whose certificate nobody needs to judge. Bun and Deno are told differently. */

/** Deno's `fetch` judges every certificate. What it is asked with instead is loaded here: most commands do not need it. */
const unjudgedOnDeno = async (request: Request, signal: AbortSignal | undefined): Promise<Response> => {
	const [{ request: askSecurely }, { buffer }] = await Promise.all([
		import("node:https"),
		import("node:stream/consumers"),
	]);
	const { url, method, headers } = request;
	const body = await request.bytes();
	return await new Promise((resolve, reject) => {
		const options = { method, headers: Object.fromEntries(headers), rejectUnauthorized: false, agent: false as const };
		const asked = askSecurely(url, { ...options, ...(signal && { signal }) }, (answer) => {
			buffer(answer).then(
				(bytes) => resolve(new Response(bytes.length > 0 ? bytes : null, { status: answer.statusCode ?? 502 })),
				reject,
			);
		});
		asked.once("error", reject);
		asked.end(body);
	});
};

/**
 * Asks the server that holds our database's lock. Its certificate is made out for the name that clients use and not for this
 * address, so it is not judged; what is sent does not leave the machine.
 */
export const fetchOwn = (request: Request, signal?: AbortSignal): Promise<Response> => {
	if ("Deno" in globalThis && request.url.startsWith("https:")) return unjudgedOnDeno(request, signal);
	const unjudged = { tls: { rejectUnauthorized: false } };
	return fetch(request, { ...unjudged, ...(signal && { signal }) });
};
