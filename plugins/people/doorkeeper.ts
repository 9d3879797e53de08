/** Knows an operator by the cookie of their session. */
import { type Admitted, type Denial, type Doorkeeper, deny, type Networks, notServed } from "#core";
import type { ChangePace } from "./change-pace.ts";
import { type Reach, sessionSecretOf } from "./cookie.ts";
import { reads, refuseForeign } from "./same-origin.ts";
import { looksLikeSecret } from "./secret.ts";
import type { Session, Sessions } from "./sessions.ts";

const ended = deny("authentication", "Your session has ended; sign in again.", { code: "session_ended" });

export interface SessionRules extends Reach {
	/** Addresses from which people may sign in and work. */
	readonly allow: Networks;
}

/** Finds the session of a request: undefined when it carries none, a denial when it may not be used. */
export const sessionFinder =
	(sessions: Sessions, rules: SessionRules) =>
	async (call: Admitted): Promise<Session | Denial | undefined> => {
		const secret = sessionSecretOf(call, rules);
		if (secret === undefined) return undefined;
		if (!rules.allow.has(call.address)) return notServed(call.request);
		const foreign = refuseForeign(call, rules.url);
		if (foreign) return foreign;
		return (looksLikeSecret(secret) ? await sessions.find(secret) : undefined) ?? ended;
	};

export type FindSession = ReturnType<typeof sessionFinder>;

export const isSession = (found: Session | Denial | undefined): found is Session =>
	found !== undefined && "operator" in found;

export const sessionDoorkeeper = (name: string, find: FindSession, pace: ChangePace): Doorkeeper => ({
	name,
	async admit(call) {
		const found = await find(call);
		if (!isSession(found)) return found;
		const tooFast = reads(call.request.method) ? undefined : pace.take(call, found.operator);
		return tooFast ?? found.operator;
	},
});
