/** What becomes of an upstream's answer that is no success: what it says of the key, and the next keys in turn. */
import {
	type Clock,
	isRefusedCredentials,
	type Log,
	refusesCredentials,
	retryAfterIn,
	type SendOptions,
	type UpstreamMessage,
} from "#core";
import { cleanError } from "./error-body.ts";
import { type Keys, maySpeakOfKey } from "./keys.ts";

interface NextKeysOptions {
	/** Of the upstream. */
	readonly name: string;
	readonly keyList: readonly string[];
	readonly keys: Keys;
	/** What is taken out of the upstream's words. */
	readonly secrets: readonly string[];
	readonly clock: Clock;
	readonly log: Log;
	/** Sends the message by a key. */
	request(message: UpstreamMessage, options: SendOptions, key: string): Promise<Response>;
}

/** `first`: the key by which the upstream gave the answer `refused`. Gives the answer to tell. */
export type NextKeys = (
	first: string | undefined,
	refused: Response,
	message: UpstreamMessage,
	options: SendOptions,
) => Promise<Response>;

/** A protocol that fails over the words says nothing of the key; it fails again when they are read for the client. */
const saysRefused = (wire: SendOptions["wire"], status: number, headers: Headers, words: string): boolean => {
	try {
		return isRefusedCredentials(wire.decodeError(status, headers, words));
	} catch {
		return false;
	}
};

export const createNextKeys = ({ name, keyList, keys, secrets, clock, log, request }: NextKeysOptions): NextKeys => {
	/** What a failure says of the key and the account; the operator is told of a key or an account that is refused. */
	const troubleOf = async (
		key: string | undefined,
		failure: Response,
		{ wire, callId }: SendOptions,
	): Promise<"refused" | "limited" | undefined> => {
		const { status, headers } = failure;
		if (!maySpeakOfKey.has(status)) return undefined;
		const words = await failure.clone().text();
		if (!refusesCredentials(status) && !saysRefused(wire, status, headers, words))
			return status === 429 ? "limited" : undefined;
		log.error("an upstream refused Portico's own key, or its account is empty", {
			upstream: name,
			...(key !== undefined && { key: keyList.indexOf(key) + 1 }),
			status,
			callId,
		});
		return "refused";
	};

	/** An answer that is no success, and what it says of the key, which rests from then on where it is to blame. */
	const failed = async (key: string | undefined, response: Response, options: SendOptions) => {
		const failure = await cleanError(response, secrets, clock);
		const trouble = await troubleOf(key, failure, options);
		if (key !== undefined && trouble !== undefined) keys.rest(key, retryAfterIn(response.headers));
		return { response: failure, trouble };
	};

	return async (first, refused, message, options) => {
		const tried: string[] = [];
		let key = first;
		let { response, trouble } = await failed(key, refused, options);
		while (key !== undefined && trouble !== undefined && !options.abort.signal.aborted) {
			tried.push(key);
			key = keys.another(tried);
			if (key === undefined) break;
			options.keys?.failed(response.status, await response.clone().text());
			keys.tell(key, options.keys);
			const answer = await request(message, options, key);
			if (answer.ok) return answer;
			const next = await failed(key, answer, options);
			// A limit passes, so it is told rather than that a key is wrong.
			if (trouble === "refused" || next.trouble !== "refused") ({ response, trouble } = next);
		}
		return response;
	};
};
