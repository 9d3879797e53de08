/** From a request to a valid token that every policy admits. */

import type { Authenticator, RefusedToken } from "../contract/authenticator.ts";
import type { AccessToken, Admitted, Identified } from "../contract/call.ts";
import { type Denial, deny, isDenial, isFault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import { isPending } from "../wire/pending.ts";
import { keyOf } from "./key.ts";
import type { Refused } from "./refusals.ts";
import { firstRefusal, type RulesOf } from "./token-rules.ts";

type Known = AccessToken | RefusedToken | Denial;
type Answer = Identified | Denial;

/** Told of every call that is refused. */
export type NoteRefusal = (call: Admitted, denial: Denial, refused: Refused) => void;

const unknownKey = deny(
	"authentication",
	"Incorrect API key provided. It is not known here: check that it was copied whole, or ask the operator for one.",
);

/** Gives the answer at once, unless an authenticator or a policy has to wait. */
export const createIdentify = (
	authenticators: readonly Authenticator[],
	rulesOf: RulesOf,
	log: Log,
	note: NoteRefusal,
) => {
	const authenticate = (key: string, call: Admitted, from = 0): Known | Promise<Known> => {
		for (let index = from; index < authenticators.length; index++) {
			const found = authenticators[index]?.identify(key, call);
			if (isPending(found)) return found.then((answer) => answer ?? authenticate(key, call, index + 1));
			if (found !== undefined) return found;
		}
		return unknownKey;
	};

	const refuse = (call: Admitted, denial: Denial, refused: Refused): Denial => {
		note(call, denial, refused);
		return denial;
	};

	const admit = (call: Admitted, key: string, token: Known): Answer | Promise<Answer> => {
		if (isDenial(token)) return refuse(call, token, { key });
		if ("denial" in token) return refuse(call, token.denial, { token: token.refused });
		// The same object, from now on knowing more: a copy would work out what was left to be worked out when asked for.
		const identified: Identified = Object.assign(call, { token });
		const refusal = firstRefusal(
			rulesOf(token).admit,
			({ policy, setting }) => policy.admit?.(identified, setting),
			log,
		);
		const answer = (denial: Denial | undefined): Answer => (denial ? refuse(call, denial, { token }) : identified);
		return isPending(refusal) ? refusal.then(answer) : answer(refusal);
	};

	/** Nobody could say whose key it is, as the database is away: the call is refused, and seen. */
	const unidentified = (call: Admitted, key: string, error: unknown): never => {
		if (isFault(error)) note(call, error.denial, { key });
		throw error;
	};

	return (call: Admitted, keyInQuery: boolean): Answer | Promise<Answer> => {
		const carried = keyOf(call.request.headers, keyInQuery ? call.url.searchParams : undefined);
		if ("denial" in carried) return refuse(call, carried.denial, {});
		const token = authenticate(carried.key, call);
		return isPending(token)
			? token.then(
					(known) => admit(call, carried.key, known),
					(error: unknown) => unidentified(call, carried.key, error),
				)
			: admit(call, carried.key, token);
	};
};
