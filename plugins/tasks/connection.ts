/** An upstream over HTTP, and what its answers mean for a job whatever its dialect: whether it may have begun, whether to ask again. */
import {
	asRecord,
	asText,
	type FetchWay,
	fetchNamed,
	fetchWay,
	isPrivateUpstream,
	isRecord,
	isUnsent,
	isWebAddress,
	type Log,
	parseJson,
	refusesCredentials,
	retryAfterIn,
	scrub,
	systemResolve,
	unansweredCode,
	unpacked,
} from "#core";
import { bodyBytes, lastEvent } from "./answer-body.ts";
import { namedFiles } from "./named-file.ts";
import type {
	Answer,
	AskOptions,
	Cancellation,
	Connection,
	ConnectionOptions,
	JobState,
	Submission,
	TaskFailure,
} from "./service.ts";
import type { UpstreamWatch } from "./upstream-watch.ts";

/** What `fetch` takes beyond the standard: Bun's own limit of silence is switched off, ours hold, and it leaves packed what is; and a proxy. */
interface FetchOptions extends Omit<RequestInit, "tls" | "proxy">, FetchWay {
	readonly timeout?: false;
	readonly decompress: false;
}

const defaultTimeoutMs = 60_000;
const longestReason = 500;
const fileMs = 300_000;

const addresses = /\b(?:https?|wss?):\/\/\S+/gi;

export const publicReason = (reason: string): string =>
	scrub(reason.replace(addresses, "[removed]")).slice(0, longestReason);

const retryAfterOf = (headers: Headers): { readonly retryAfterMs?: number } => {
	const seconds = retryAfterIn(headers);
	return seconds === undefined ? {} : { retryAfterMs: seconds * 1000 };
};

/** The message of an error answer, wherever the usual dialects put it. */
const messageOf = (body: unknown): string => {
	const { error, message, msg, description, detail } = asRecord(body);
	const nested = asRecord(error);
	return (
		asText(nested.message) ??
		asText(error) ??
		asText(message) ??
		asText(description) ??
		asText(msg) ??
		asText(detail) ??
		asText(asRecord(detail).message) ??
		""
	);
};

/** Some services refuse with 200: by the word `error`, as others do beside it. */
const saysError = (body: unknown): boolean => {
	const { error } = asRecord(body);
	return asText(error) ? true : isRecord(error) && messageOf(body) !== "";
};

const isModeration = (body: unknown): boolean =>
	/moderation|content_policy|safety|sensitive|prohibited|banned/i.test(
		JSON.stringify(asRecord(body).error ?? body ?? "").slice(0, 2000),
	);

const refusedKey: TaskFailure = {
	code: "upstream_error",
	reason: "The upstream did not accept Portico's own account. Ask the operator to look at it.",
};

const refusal = (answer: Answer, reason?: string): Submission => {
	if (answer.sent !== "answered")
		return answer.sent === "never" ? { outcome: "busy", unreached: true } : { outcome: "unknown" };
	const { status, body } = answer;
	if (status === 429 || status === 503) return { outcome: "busy", ...retryAfterOf(answer.headers) };
	if (refusesCredentials(status)) return { outcome: "refused", failure: refusedKey };
	if (status >= 500) return { outcome: "unknown", saidFailed: status === 500 && messageOf(body) !== "" };
	if (status < 300 && reason === undefined && !saysError(body)) return { outcome: "unknown" };
	const said = publicReason(reason ?? messageOf(body)) || `The upstream refused the task (${status}).`;
	return {
		outcome: "refused",
		failure: { code: isModeration(body) ? "content_policy_violation" : "upstream_refused", reason: said },
	};
};

const noState = (answer: Answer): JobState => {
	if (answer.sent !== "answered") return { state: "unanswered" };
	return answer.status === 404 && !isPage(answer.headers)
		? { state: "missing" }
		: { state: "unanswered", ...retryAfterOf(answer.headers) };
};

/** A proxy before the upstream, or another server in its place, knows nothing of its jobs. */
const isPage = (headers: Headers): boolean => /^\s*text\/html\b/i.test(headers.get("content-type") ?? "");

/** Sound, films and pictures are no text. Undefined for what is no JSON. */
const bodyOf = (bytes: Uint8Array, type: string): unknown =>
	/^(?:audio|video|image)\//.test(type) ? undefined : parseJson(new TextDecoder().decode(bytes));

/**
 * A page in place of a good answer, or word of another address: whoever gave it has not passed the request on. Some services
 * call their JSON a page.
 */
const isOthers = ({ ok, status, headers }: Response, body: unknown): boolean =>
	(status >= 300 && status < 400) || (ok && body === undefined && isPage(headers));

/** Names under which services say what a job costs, or whether it does. */
const billNames = /^(?:billed|billable|charged?|cost|price|credits_used|final_unit_deduction)(?:_\w+)?$/i;

const isNothing = (value: unknown): boolean =>
	value === false || value === 0 || (typeof value === "string" && value.trim() !== "" && Number(value) === 0);

const areNothing = (values: readonly unknown[]): boolean => values.length > 0 && values.every(isNothing);

/** Whether an answer says in so many words that nothing is billed: `billed: false`, a cost or a usage of 0, `refunded: true`. */
const saysUnbilled = (body: unknown): boolean => {
	const { data, billing, usage } = asRecord(body);
	if (areNothing(Object.values(asRecord(usage)))) return true;
	return [body, data, billing].map(asRecord).some((fields) => {
		const bills = Object.entries(fields).filter(([name]) => billNames.test(name));
		return fields.refunded === true || areNothing(bills.map(([, value]) => value));
	});
};

const cancellation = (answer: Answer): Cancellation => {
	if (answer.sent !== "answered" || answer.status === 429 || answer.status >= 500) return "unanswered";
	return answer.status < 300 && saysUnbilled(answer.body) ? "unbilled" : "told";
};

/** What comes where a file is to be signed in for, or is not there: it is never a result. */
const pages = /^\s*(text\/html|application\/(?:[\w.-]+\+)?json)\b/i;

interface ConnectionParts {
	readonly log: Log;
	readonly watch: UpstreamWatch;
	/** The proxy that requests to the upstream go by. Files that it names elsewhere are fetched without it: see `fetchNamed`. */
	readonly proxy?: string | undefined;
}

export const createConnection = (
	{ url, headers, fetch: send = fetch }: ConnectionOptions,
	{ log, watch, proxy }: ConnectionParts,
): Connection => {
	const base = url.replace(/\/+$/, "");
	const { origin } = new URL(base);
	const way = proxy === undefined ? undefined : fetchWay({ proxy });

	const request = async (path: string, options: AskOptions): Promise<Response> => {
		const address = /^https?:/.test(path) ? path : base + path;
		// The headers hold the key: they go to the origin they were configured for and to no other.
		const own = new URL(address).origin === origin ? headers() : {};
		const { body, method = body === undefined ? "GET" : "POST" } = options;
		const form = body instanceof FormData;
		const init: FetchOptions = {
			method,
			headers: {
				...(body !== undefined && !form && { "content-type": "application/json" }),
				...options.headers,
				...own,
			},
			redirect: "manual",
			signal: AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)]),
			timeout: false,
			decompress: false,
			...way,
			...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
		};
		return unpacked(await send(address, init));
	};

	/** Files are often handed out by a second host, which must not see the key, and may not be one of this network. */
	const fetchOnce = async (address: string, signal: AbortSignal): Promise<Response> =>
		new URL(address).origin === origin
			? await request(address, { signal, timeoutMs: fileMs })
			: await fetchNamed(address, {
					signal: AbortSignal.any([signal, AbortSignal.timeout(fileMs)]),
					allowPrivateNetworks: await isPrivateUpstream(base, systemResolve),
					resolve: systemResolve,
				});

	const fetchFile = async (named: string, signal: AbortSignal): Promise<Uint8Array> => {
		let address = named.startsWith("/") ? base + named : named;
		if (!isWebAddress(address)) throw new TypeError("a result file has no address that can be fetched");
		let response = await fetchOnce(address, signal);
		for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 3; hops++) {
			await response.body?.cancel();
			address = new URL(response.headers.get("location") ?? "", address).href;
			response = await fetchOnce(address, signal);
		}
		if (!response.ok) throw new TypeError(`a result file could not be fetched: ${response.status}`);
		const [, type] = pages.exec(response.headers.get("content-type") ?? "") ?? [];
		if (type !== undefined) throw new TypeError(`a result file did not come, but ${type}`);
		return await bodyBytes(response);
	};

	return {
		refusal,
		noState,
		cancellation,
		fetchFile,
		files: namedFiles({ base, log, fetchFile }),
		async ask(path, options) {
			try {
				const response = await request(path, options);
				const { status, headers: told } = response;
				const type = told.get("content-type") ?? "";
				if (options.event && type.includes("event-stream")) {
					watch.answered(status);
					const last = await lastEvent(response, options.event);
					return { sent: "answered", status, headers: told, body: last, bytes: new Uint8Array(0) };
				}
				const bytes = await bodyBytes(response);
				const body = bodyOf(bytes, type);
				if (isOthers(response, body)) {
					watch.replaced(status);
					return { sent: "never" };
				}
				watch.answered(status);
				return { sent: "answered", status, headers: told, body, bytes };
			} catch (error) {
				if (!options.signal.aborted) watch.failed(error);
				return { sent: isUnsent(unansweredCode(error) ?? "") ? "never" : "unknown" };
			}
		},
	};
};
