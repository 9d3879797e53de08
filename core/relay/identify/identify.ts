/** From a request to a valid token that every policy admits. */

import type { Authenticator, RefusedToken } from "../../contract/authenticator.ts";
import type { AccessToken, Admitted, Identified } from "../../contract/call.ts";
import { type Denial, deny, Fault, isDenial, isFault } from "../../contract/fault.ts";
import type { Log } from "../../contract/log.ts";
import { whatFailed } from "../../errors/describe.ts";
import { isPending, type MaybeLater } from "../../wire/pending.ts";
import type { Refused } from "../call/refusals.ts";
import { identityIn, refusalIn } from "../policies/plugin-answers.ts";
import { firstRefusal, type Rule, type RulesOf } from "../policies/token-rules.ts";
import { keyOf } from "./key.ts";

type Known = AccessToken | RefusedToken | Denial;
type Answer = Identified | Denial;

/** Told of every call that is refused. */
type NoteRefusal = (call: Admitted, denial: Denial, refused: Refused) => void;

const unknownKey = deny(
	"authentication",
	"Incorrect API key provided. It is not known here: check that it was copied whole, or ask the operator for one.",
);

const unreadKey = deny(
	"internal",
	"Whose key this is could not be found out, so the call is refused. Ask the operator.",
);

const admits = ({ policy, setting }: Rule, call: Identified) => policy.admit?.(call, setting);

/** Gives the answer at once, unless an authenticator or a policy has to wait. */
export const createIdentify = (
	authenticators: readonly Authenticator[],
	rulesOf: RulesOf,
	log: Log,
	note: NoteRefusal,
) => {
	const authenticate = (key: string, call: Admitted, asked = authenticators): MaybeLater<Known> => {
		for (const authenticator of asked) {
			try {
				const found = authenticator.identify(key, call);
				if (isPending(found))
					return afterWaiting(found, key, call, authenticator, asked.slice(asked.indexOf(authenticator) + 1));
				if (found !== undefined) return identityIn(found);
			} catch (error) {
				throw failed(authenticator, error);
			}
		}
		return unknownKey;
	};

	/** What it refused by throwing, or the usual refusal, where the log says who failed: nobody comes in by that. */
	const failed = ({ name }: Authenticator, error: unknown): unknown => {
		if (refusalIn(error)) return error;
		log.error("an authenticator failed; the call is refused", { authenticator: name, ...whatFailed(error) });
		return new Fault(unreadKey);
	};

	const afterWaiting = async (
		waiting: PromiseLike<Known | undefined>,
		key: string,
		call: Admitted,
		authenticator: Authenticator,
		others: readonly Authenticator[],
	): Promise<Known> => {
		try {
			const found = await waiting;
			if (found !== undefined) return identityIn(found);
		} catch (error) {
			throw failed(authenticator, error);
		}
		return await authenticate(key, call, others);
	};

	const refuse = (call: Admitted, denial: Denial, refused: Refused): Denial => {
		note(call, denial, refused);
		return denial;
	};

	/** A call that is identified a second time keeps its caller, whose places it took, though the token may be another's by now. */
	const admit = (call: Admitted & Partial<Identified>, key: string, token: Known): MaybeLater<Answer> => {
		if (isDenial(token)) return refuse(call, token, { key });
		if ("denial" in token) return refuse(call, token.denial, { token: token.refused });
		// The same object, from now on knowing more: a copy would work out what was left to be worked out when asked for.
		const caller = call.caller ?? token.owner?.id ?? token.id;
		const identified: Identified = Object.assign(call, { token, caller });
		const refusal = firstRefusal(rulesOf(token).admit, admits, identified, log);
		return isPending(refusal) ? answerLater(identified, refusal) : answer(identified, refusal);
	};

	const answer = (call: Identified, denial: Denial | undefined): Answer =>
		denial ? refuse(call, denial, { token: call.token }) : call;

	const answerLater = async (call: Identified, refusal: Promise<Denial | undefined>): Promise<Answer> =>
		answer(call, await refusal);

	/** Nobody could say whose key it is, as the database is away or a plugin failed: the call is refused, and seen. */
	const unidentified = (call: Admitted, key: string, error: unknown): never => {
		if (isFault(error)) note(call, error.denial, { key });
		throw error;
	};

	const admitLater = async (call: Admitted, key: string, waiting: Promise<Known>): Promise<Answer> => {
		let known: Known;
		try {
			known = await waiting;
		} catch (error) {
			return unidentified(call, key, error);
		}
		return await admit(call, key, known);
	};

	return (call: Admitted, keyInQuery: boolean): MaybeLater<Answer> => {
		const key = keyOf(call.request.headers, keyInQuery ? call.url.searchParams : undefined);
		if (typeof key !== "string") return refuse(call, key, {});
		let token: MaybeLater<Known>;
		try {
			token = authenticate(key, call);
		} catch (error) {
			return unidentified(call, key, error);
		}
		return isPending(token) ? admitLater(call, key, token) : admit(call, key, token);
	};
};
