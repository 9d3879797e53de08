/** Asks the server's routes, the same that the command line asks. */
import { asWire, text, type Wire } from "./read.ts";

/** What the server said instead of answering: its own sentence, and the id by which its log knows the request. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string | undefined;
	readonly requestId: string | undefined;

	constructor(message: string, status: number, code?: string, requestId?: string) {
		super(message);
		this.status = status;
		this.code = code;
		this.requestId = requestId;
	}
}

const unreachable = {
	reading: "The server does not answer. It may be starting, or the network is gone; this page tries again.",
	changing:
		"The server did not answer, so nobody knows whether this was done. Look before you try again: the network may be gone.",
};

/** A question that the network lost is asked anew after it. */
const longestMs = 60_000;

/** The refusal that an answer holds. */
export const refusalOf = async (response: Response): Promise<Refusal> => {
	const body = asWire(await response.json().catch(() => undefined));
	const error = asWire(body["error"]);
	const message = text(error, "message") ?? `The server answered ${response.status} without saying why.`;
	const requestId = response.headers.get("x-request-id") ?? undefined;
	return new Refusal(message, response.status, text(error, "code"), requestId);
};

/** Throws `Refusal`. */
export const send = async (
	method: string,
	path: string,
	body?: unknown,
	headers: Readonly<Record<string, string>> = {},
	/** Statuses beside 2xx that are answers too. */
	taken: readonly number[] = [],
): Promise<Response> => {
	const reads = method === "GET";
	const response = await fetch(path, {
		method,
		headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
		...(body !== undefined && { body: JSON.stringify(body) }),
		...(reads && { signal: AbortSignal.timeout(longestMs) }),
	}).catch(() => {
		throw new Refusal(reads ? unreachable.reading : unreachable.changing, 0);
	});
	if (!response.ok && !taken.includes(response.status)) throw await refusalOf(response);
	return response;
};

/** Throws `Refusal`. */
export const call = async (
	method: string,
	path: string,
	body?: unknown,
	headers?: Readonly<Record<string, string>>,
): Promise<Wire> => asWire(await (await send(method, path, body, headers)).json().catch(() => undefined));

/** A query of what is given; what is undefined or empty is left out. */
export const query = (fields: Readonly<Record<string, string | number | undefined>>): string => {
	const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
	return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
};
