/** Reads what an upstream says when it fails: briefly, not for long, and without the operator's secrets. */
import type { Clock } from "#core";

/** More than any provider's error; a page of HTML is cut. Bytes. */
const longestError = 64 * 1024;
/** How long the words of an error are waited for once its status is there. Milliseconds. */
const patienceMs = 10_000;
/** Shorter values are not keys, and would be found in ordinary words. */
const shortestSecret = 6;

/** The text of a body, as much of it as comes in time and is not too long; a body that breaks off ends where it did. */
export const readWords = async (
	body: ReadableStream<Uint8Array> | null,
	clock: Clock,
	longest: number,
): Promise<string> => {
	if (body === null) return "";
	const chunks: Uint8Array[] = [];
	let size = 0;
	const reader = body.getReader();
	const cancel = clock.after(patienceMs, () => void reader.cancel().catch(() => undefined));
	try {
		while (size < longest) {
			const { done, value } = await reader.read();
			if (done) break;
			chunks.push(value);
			size += value.length;
		}
	} catch {
		// Its status says enough; what was read of its words is kept.
	} finally {
		cancel();
		reader.cancel().catch(() => undefined);
	}
	return new TextDecoder().decode(
		new Uint8Array(await new Blob(chunks as NonNullable<ConstructorParameters<typeof Blob>[0]>).arrayBuffer()).subarray(
			0,
			longest,
		),
	);
};

/** The text with each of these values replaced by `[removed]`, also where JSON or a URL writes them differently. */
export const without = (text: string, secrets: readonly string[]): string =>
	secrets
		.filter((secret) => secret.length >= shortestSecret)
		.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
		.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text);

/** The same answer with its body read and cleaned. */
export const cleanError = async (response: Response, secrets: readonly string[], clock: Clock): Promise<Response> => {
	const { status, headers } = response;
	const kept = new Headers();
	for (const name of ["content-type", "date", "retry-after", "retry-after-ms"]) {
		const value = headers.get(name);
		if (value !== null) kept.set(name, value);
	}
	const text = without(await readWords(response.body, clock, longestError), secrets);
	// A status that may have no body, such as 304, may not have an empty one either.
	return new Response(text === "" ? null : text, { status, headers: kept });
};
