/** A provider over HTTP: one base address, one or several keys bound to it. */
import {
	type Clock,
	definedOnly,
	type Fault,
	type FetchWay,
	fetchWay,
	isFault,
	type ListedModel,
	type Log,
	type Protocol,
	parseJson,
	type SendOptions,
	type SignedRequest,
	type Upstream,
	type UpstreamMessage,
	unansweredCode,
	unpacked,
	unreachable,
} from "#core";
import { readWords, without } from "./error-body.ts";
import { Keys } from "./keys.ts";
import { vendorAt } from "./known/vendors.ts";
import { createNextKeys, type NextKeys } from "./next-keys.ts";
import { slow } from "./no-answer.ts";
import { RetryCredit } from "./repeating.ts";
import { namedEndpoints, type UpstreamSetting } from "./settings.ts";
import { shownOverSince } from "./tls.ts";

/** What Bun's `fetch` takes beyond the standard: its own silence limit is switched off, ours hold; and it leaves packed what is. */
interface FetchOptions extends Omit<RequestInit, "tls" | "proxy">, FetchWay {
	readonly timeout?: false;
	readonly decompress: false;
}

export interface HttpUpstreamOptions {
	readonly setting: UpstreamSetting;
	readonly clock: Clock;
	readonly log: Log;
	readonly protocolNamed: (name: string) => Protocol | undefined;
	/** The proxy to go by. */
	readonly proxy?: string | undefined;
	/** A number from 0 to 1, for how long a key rests; `Math.random` unless given. */
	readonly random?: () => number;
	/** Signs its requests, in place of what its protocol does. */
	readonly sign?: SendOptions["wire"]["sign"];
	/** Stands in for `fetch` in tests. */
	readonly send?: (url: string, options: FetchOptions) => Promise<Response>;
}

type Wire = SendOptions["wire"];
type FixedHeaders = Readonly<Record<string, string>>;

/** A list of models longer than any provider's. Bytes. */
const longestList = 8 * 1024 * 1024;

export const createHttpUpstream = ({
	setting,
	clock,
	log,
	protocolNamed,
	proxy,
	random = Math.random,
	sign,
	send = fetch,
}: HttpUpstreamOptions): Upstream => {
	const { name, firstByteSeconds = 600 } = setting;
	const base = setting.url.replace(/\/+$/, "");
	const keyList = [...(setting.keys ?? []), ...(setting.key ? [setting.key] : [])];
	const keys = new Keys(keyList, clock, random);
	const credit = new RetryCredit();
	let way: FetchWay | undefined;
	/** How its connections are made, where that is not the usual. By the first request: what cannot be used is complained of before. */
	const connection = () =>
		(way ??= fetchWay({ ...(setting.tls && { tls: setting.tls }), ...(proxy !== undefined && { proxy }) }));
	/** What is sent with every message beside its own headers, by the words it is written in and by key. */
	const fixedHeaders = new WeakMap<Wire, Map<string | undefined, FixedHeaders>>();
	const headersFor = (wire: Wire, key: string | undefined): FixedHeaders => {
		const ofWire = fixedHeaders.get(wire) ?? new Map<string | undefined, FixedHeaders>();
		const known = ofWire.get(key);
		if (known) return known;
		const made = { ...wire.headers(key), ...setting.headers, "accept-encoding": "identity" };
		fixedHeaders.set(wire, ofWire.set(key, made));
		return made;
	};
	const signature = (wire: Wire, request: SignedRequest, key: string | undefined): FixedHeaders | undefined =>
		sign ? sign(request, key) : wire.sign?.(request, key);
	const secrets = [...keyList, ...Object.values(setting.headers ?? {}), base, new URL(base).host];

	/**
	 * An upstream may close a connection that was kept open at the very moment it is used again. What was sent is then lost,
	 * and no fault of the upstream: where it may be repeated, it is, once, on a new connection.
	 */
	const mayGoAgain = (error: unknown, options: SendOptions): boolean =>
		unansweredCode(error) === "ECONNRESET" &&
		!options.abort.signal.aborted &&
		options.mayRepeat?.() === true &&
		credit.spend();

	/** Clients are told that it failed; why (an expired certificate, a name that is not known) is the operator's business. */
	const note = ({ callId }: SendOptions, error: unknown): void => {
		const reason = error instanceof Error ? (unansweredCode(error) ?? error.name) : "unknown";
		// It says nothing of that itself.
		const ownCertificateOver = setting.tls && shownOverSince(setting.tls, clock.now());
		const told = { upstream: name, callId, reason, ...definedOnly({ ownCertificateOver }) };
		log.warn("an upstream could not be reached, or broke off before it answered", told);
	};

	/** What to throw when there is no answer. */
	const unanswered = (error: unknown, options: SendOptions): Fault => {
		const { aborted, reason } = options.abort.signal;
		if (!aborted) note(options, error);
		if (isFault(reason)) return reason;
		return isFault(error) ? error : unreachable(name, error);
	};

	const initOf = (message: UpstreamMessage, options: SendOptions, key: string | undefined): FetchOptions => {
		const headers = { ...message.headers, ...headersFor(options.wire, key) };
		if (setting.trace === true) Object.assign(headers, options.traceHeaders?.());
		const { method = "POST", path, body } = message;
		if (sign || options.wire.sign)
			Object.assign(headers, signature(options.wire, { method, url: base + path, headers, body }, key));
		return {
			method,
			headers,
			body: body as NonNullable<RequestInit["body"]>,
			redirect: "manual",
			signal: options.abort.signal,
			timeout: false,
			decompress: false,
			...connection(),
		};
	};

	/** `refused`: what becomes of an answer that is no success; it stays as it is unless said. */
	const request = async (
		message: UpstreamMessage,
		options: SendOptions,
		key: string | undefined,
		refused?: NextKeys,
	): Promise<Response> => {
		const init = initOf(message, options, key);
		const url = base + message.path;
		credit.earn();
		const cancel = clock.after(firstByteSeconds * 1000, () => options.abort.abort(slow(name, firstByteSeconds)));
		let response: Response | undefined;
		try {
			try {
				response = await send(url, init);
			} catch (error) {
				if (!mayGoAgain(error, options)) throw error;
			}
			response ??= await send(url, { ...init, keepalive: false });
			if (response.headers.has("content-encoding")) response = unpacked(response);
		} catch (error) {
			throw unanswered(error, options);
		} finally {
			cancel();
		}
		return response.ok || !refused ? response : await refused(key, response, message, options);
	};

	const tryOthers = createNextKeys({ name, keyList, keys, secrets, clock, log, request });
	const protocols = typeof setting.protocol === "string" ? [setting.protocol] : setting.protocol;

	/** Each key in turn is asked with until one is answered. What it says is read as an error is: briefly. */
	const models = async (signal: AbortSignal): Promise<readonly ListedModel[]> => {
		const wire = protocols.map((spoken) => protocolNamed(spoken)?.upstream).find((words) => words?.models);
		const question = wire?.models;
		if (wire === undefined || question === undefined) return [];
		let status = 0;
		for (const key of keyList.length === 0 ? [undefined] : keyList) {
			const url = base + question.path;
			const headers = { ...question.headers, ...headersFor(wire, key) };
			Object.assign(headers, signature(wire, { method: "GET", url, headers, body: "" }, key));
			const init: FetchOptions = { headers, redirect: "manual", signal, decompress: false, ...connection() };
			const response = unpacked(await send(url, init));
			const words = await readWords(response.body, clock, longestList);
			if (response.ok) return question.decode(parseJson(words));
			({ status } = response);
		}
		throw new Error(`it answered with status ${status}`);
	};

	return {
		name,
		models,
		host: new URL(base).host,
		remembers: setting.threads !== false,
		...definedOnly({ vendor: setting.vendor ?? vendorAt(base) }),
		...(setting.tenancy === "single" && { tenancy: setting.tenancy }),
		redact: (words) => without(words, secrets),
		keys: () => keys.states(),
		protocols,
		...(setting.endpoints && { endpoints: namedEndpoints(setting.endpoints) }),
		send: (message, options) => request(message, options, keys.choose(options.affinity, options.keys), tryOthers),
	};
};
