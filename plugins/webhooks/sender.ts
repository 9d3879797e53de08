/**
 * One attempt: a POST to an address that was checked, under one time limit for everything. Uses `node:http` because it
 * dials what it is told, follows nothing, knows no proxy from the environment and has no cap of its own.
 */
import { type Clock, dialable, lookup, pinnedRequest, type Resolve } from "#core";
import { checkAddress, forbidden } from "./address.ts";

/** From the start of name resolution to the end of the answer's headers, in milliseconds. */
const attemptLimitMs = 5000;

export interface Message {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Uint8Array;
	/** Its address may be private, whatever callbacks may. */
	readonly privateNetwork?: boolean;
}

/** What came of an attempt. `error` is absent when it counts as delivered. */
export interface AttemptResult {
	readonly address?: string;
	readonly status?: number;
	readonly error?: string;
	readonly durationMs: number;
}

interface SenderOptions {
	readonly clock: Clock;
	readonly resolve: Resolve;
	readonly allowPrivateNetworks: boolean;
	readonly httpsOnly: boolean;
	/** Which statuses count as delivered. */
	readonly success: "200" | "2xx";
}

/** This machine could not open a socket: no attempt was made. */
export const localFault = "local_fault";

export type Send = (message: Message) => Promise<AttemptResult>;

/** Names for what went wrong on the way, by the runtime's code. */
const errorNames = lookup<string>({
	ECONNREFUSED: "connection_refused",
	ConnectionRefused: "connection_refused",
	ECONNRESET: "connection_reset",
	EPIPE: "connection_reset",
	ENETUNREACH: "network_unreachable",
	EHOSTUNREACH: "network_unreachable",
	EADDRNOTAVAIL: "network_unreachable",
	ETIMEDOUT: "timeout",
	EMFILE: localFault,
	ENFILE: localFault,
	ENOBUFS: localFault,
	ENOMEM: localFault,
});

const errorName = (error: unknown): string => {
	const code = error instanceof Error && "code" in error ? String(error.code) : "";
	if (errorNames[code]) return errorNames[code];
	if (code.startsWith("HPE_")) return "invalid_answer";
	if (/CERT|TLS|SSL|SIGN|ISSUER|ALTNAME|EPROTO/.test(code)) return "tls_error";
	return "network_error";
};

export const createSender = (options: SenderOptions): Send => {
	const { clock } = options;
	return async (message) => {
		const startedAt = clock.monotonic();
		const over = deadline(clock, attemptLimitMs);
		try {
			const outcome = await attempt(message, over.passed, options);
			const tookMs = Math.max(0, clock.monotonic() - startedAt);
			const durationMs = Math.round(tookMs);
			// A timer may be late, the limit is not: what answered after it has not answered.
			if (outcome.error !== undefined || tookMs <= attemptLimitMs) return { ...outcome, durationMs };
			const { status: _late, ...dialled } = outcome;
			return { ...dialled, error: "timeout", durationMs };
		} finally {
			over.cancel();
		}
	};
};

type Attempted = Omit<AttemptResult, "durationMs">;

const attempt = async (message: Message, passed: Promise<"timeout">, options: SenderOptions): Promise<Attempted> => {
	const allowPrivateNetworks = options.allowPrivateNetworks || message.privateNetwork === true;
	const checked = checkAddress(message.url, { ...options, allowPrivateNetworks });
	if (!("url" in checked)) return { error: checked.code === forbidden.code ? blocked : "invalid_url" };
	const url = new URL(checked.url);
	const found = await Promise.race([dialable(url.hostname, options.resolve, allowPrivateNetworks), passed]);
	if (typeof found === "string") {
		// Whoever asks here must not learn which inner names there are: neither by the word, nor by the time.
		if (!allowPrivateNetworks) await passed;
		else if (found === "timeout") return { error: found };
		return { error: notDialled };
	}
	let last: Attempted = { error: notDialled };
	for (const address of found) {
		last = judge(address, await post(url, address, message, passed), options.success);
		if (!mayDialNext.has(last.error)) break;
	}
	return last;
};

/** A delivery to an address that by its text may not be called: nothing was sent. */
const blocked = "ssrf_blocked";

/** The name leads to no address that may be called. */
const notDialled = "dns_error";

/** Errors of the dialling itself, after which another address of the same name may be tried: nothing has been sent. */
const mayDialNext: ReadonlySet<string | undefined> = new Set(["connection_refused", "network_unreachable"]);

const judge = (address: string, outcome: number | string, success: SenderOptions["success"]): Attempted => {
	if (typeof outcome === "string") return { address, error: outcome };
	const delivered = outcome === 200 || (success === "2xx" && outcome >= 200 && outcome < 300);
	return { address, status: outcome, ...(!delivered && { error: `http_${outcome}` }) };
};

const deadline = (clock: Clock, milliseconds: number): { passed: Promise<"timeout">; cancel: () => void } => {
	let pass: (word: "timeout") => void = () => undefined;
	const passed = new Promise<"timeout">((resolve) => {
		pass = resolve;
	});
	return { passed, cancel: clock.after(milliseconds, () => pass("timeout")) };
};

/** Answers of the kind 1xx come before the real one; a receiver that sends more of them is cut off, for they have no end. */
const mostInterim = 8;

/** Gives the status as soon as the headers are there, or a word for what went wrong. The body is never read: the socket is closed. */
const post = (url: URL, address: string, message: Message, passed: Promise<"timeout">): Promise<number | string> =>
	new Promise((resolve) => {
		const request = pinnedRequest(url, address, "POST", {
			...message.headers,
			"content-length": message.body.byteLength,
		});
		const end = (outcome: number | string): void => {
			resolve(outcome);
			request.destroy();
		};
		let interim = 0;
		const interimCame = (): void => {
			if (++interim > mostInterim) end("invalid_answer");
		};
		request.on("continue", interimCame);
		request.on("information", interimCame);
		request.on("response", (response) => {
			response.on("error", () => undefined);
			end(response.statusCode ?? "invalid_answer");
			response.destroy();
		});
		request.on("error", (error) => end(errorName(error)));
		request.on("close", () => end("connection_reset"));
		passed.then(end, () => undefined);
		request.end(message.body);
	});
