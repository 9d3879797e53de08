/** The permits one call holds: asked of every policy, settled exactly once, newest first, whatever ended the call. */

import type { Routed } from "../../contract/call.ts";
import { type Denial, isFault } from "../../contract/fault.ts";
import type { Log } from "../../contract/log.ts";
import type { Charge, Outcome } from "../../contract/outcome.ts";
import type { Permit } from "../../contract/policy.ts";
import { whatFailed } from "../../errors/describe.ts";
import { clientGone } from "../../errors/no-answer.ts";
import { isPending, type MaybeLater } from "../../wire/pending.ts";
import { checkHeaders, denialIn, isPermit, refusalIn } from "./plugin-answers.ts";
import { type Rule, refuseForFailure, ruleFailed } from "./token-rules.ts";
import { untilGone } from "./until-gone.ts";

/** What permits are told of a call that was refused before anything of it was sent. */
export const refusedOutcome = (denial: Denial): Outcome => ({
	ending: denial === clientGone ? "client_left" : "refused",
	sent: false,
	contentBytes: 0,
	pieces: 0,
	denial,
});

const watches = ({ progress }: Permit): boolean => progress !== undefined;
const none: readonly Permit[] = [];
const noHeaders: Readonly<Record<string, string>> = {};

type Tags = Readonly<Record<string, string>>;

/** Usually one permit has tags; its object is kept as it is, because the ledger remembers their text by object. */
const tagsOfBoth = (some: Tags | undefined, more: Tags): Tags => (some ? { ...some, ...more } : more);

export class Permits {
	/** The lowest bound on output tokens that any permit set. */
	readonly maxOutputTokens: number | undefined;
	readonly headers: Readonly<Record<string, string>>;
	/** Somebody wants the answer's headers to tell how it came about. */
	readonly explains: boolean;
	/** What the call's record is marked with. */
	readonly tags: Tags | undefined;
	/** For how long an answer is read to its end, once its client has gone, to be charged exactly. */
	readonly readOnMs: number;
	private readonly watching: readonly Permit[];
	private readonly held: readonly Permit[];
	private readonly log: Log;
	private settled = false;

	constructor(held: readonly Permit[], log: Log) {
		this.held = held;
		this.log = log;
		let bound = Number.POSITIVE_INFINITY;
		let readOnMs = 0;
		let headers: Record<string, string> | undefined;
		let tags: Tags | undefined;
		let explains = false;
		for (const permit of held) {
			if (permit.maxOutputTokens !== undefined) bound = Math.min(bound, permit.maxOutputTokens);
			if (permit.explains) explains = true;
			if (permit.readOnMs !== undefined) readOnMs = Math.max(readOnMs, permit.readOnMs);
			if (permit.headers) headers = Object.assign(headers ?? {}, permit.headers);
			if (permit.tags) tags = tagsOfBoth(tags, permit.tags);
		}
		this.watching = held.some(watches) ? held.filter(watches) : none;
		this.tags = tags;
		this.explains = explains;
		this.readOnMs = readOnMs;
		this.maxOutputTokens = Number.isFinite(bound) ? bound : undefined;
		this.headers = headers ?? noHeaders;
	}

	/** Whether anybody wants to hear of progress. */
	get watched(): boolean {
		return this.watching.length > 0;
	}

	progress(pieces: number, contentBytes: number): "go_on" | "cut" {
		for (const permit of this.watching) if (permit.progress?.(pieces, contentBytes) === "cut") return "cut";
		return "go_on";
	}

	/** What the call was charged, by the newest permit that charges. */
	settle(outcome: Outcome): Charge | undefined {
		if (this.settled) return undefined;
		this.settled = true;
		let charge: Charge | undefined;
		for (let index = this.held.length - 1; index >= 0; index--) {
			try {
				const charged = this.held[index]?.settle?.(outcome);
				// No policy is to give a promise here, but one in plain JavaScript may: it must not end the process.
				if (isPending(charged)) this.hear(charged);
				else charge ??= charged;
			} catch (error) {
				this.notSettled(error);
			}
		}
		return charge;
	}

	private hear(told: PromiseLike<unknown>): void {
		told.then(undefined, (error: unknown) => this.notSettled(error));
	}

	private notSettled(error: unknown): void {
		this.log.error("a permit could not be settled", whatFailed(error));
	}
}

/** Which rules are asked, and about which call. */
interface Question {
	readonly rules: readonly Rule[];
	readonly call: Routed;
	readonly log: Log;
}

const ignored = (): undefined => undefined;

/** What permits promise may fail before anybody waits for it, or when nobody does any more: that must not end the process. */
const leaveUnread = (held: readonly Permit[]): void => {
	for (const { ready } of held) if (isPending(ready)) ready.then(ignored, ignored);
};

/** Asks these rules, at once where none of them has to wait. A denial settles what the others had already granted. */
export const askPolicies = (question: Question, held: Permit[] = []): MaybeLater<Answer> => {
	const { rules, call, log } = question;
	for (const rule of rules) {
		try {
			const answer = rule.policy.check?.(call, rule.setting);
			if (isPending(answer)) return afterWaiting(answer, rule, question, held);
			if (answer === undefined) continue;
			if (!isPermit(answer)) return refuse(held, denialIn(answer), log);
			held.push(answer);
			if (answer.headers) checkHeaders(answer.headers);
		} catch (error) {
			return refuse(held, refuseForFailure(rule, error, log), log);
		}
	}
	const permits = new Permits(held, log);
	const first = held.findIndex(promises);
	return first === -1 ? permits : afterReady(permits, held, first, log);
};

const promises = ({ ready }: Permit): boolean => ready !== undefined;

/** The permits, once all that they promise is kept. `first`: the place of the first that promises something. */
const afterReady = async (permits: Permits, held: readonly Permit[], first: number, log: Log): Promise<Answer> => {
	for (let index = first + 1; index < held.length; index++) {
		const ready = held[index]?.ready;
		if (isPending(ready)) ready.then(ignored, ignored);
	}
	for (let index = first; index < held.length; index++) {
		const ready = held[index]?.ready;
		if (ready === undefined) continue;
		try {
			const denial = await ready;
			if (denial !== undefined) return refuse(held, denialIn(denial), log);
		} catch (error) {
			return refuse(held, refusalIn(error) ?? notKept(error, log), log);
		}
	}
	return permits;
};

const notKept = (error: unknown, log: Log): Denial => {
	log.error("what a policy promised could not be kept; the call is refused", whatFailed(error));
	return ruleFailed;
};

type Answer = Permits | Denial;

const refuse = (held: readonly Permit[], denial: Denial, log: Log): Denial => {
	leaveUnread(held);
	new Permits(held, log).settle(refusedOutcome(denial));
	return denial;
};

/** What was granted when nobody waited for it any more. */
const letGo = (late: Permit | Denial | undefined, log: Log): void => {
	if (late !== undefined && isPermit(late)) refuse([late], clientGone, log);
};

const afterWaiting = async (
	waiting: PromiseLike<Permit | Denial | undefined>,
	rule: Rule,
	{ rules, call, log }: Question,
	held: Permit[],
): Promise<Answer> => {
	leaveUnread(held);
	try {
		const answer = await untilGone(waiting, call.request);
		if (answer !== undefined) {
			if (!isPermit(answer)) return refuse(held, denialIn(answer), log);
			held.push(answer);
			if (answer.headers) checkHeaders(answer.headers);
		}
	} catch (error) {
		if (isFault(error) && error.denial === clientGone) {
			waiting.then((late) => letGo(late, log), ignored);
			return refuse(held, clientGone, log);
		}
		return refuse(held, refuseForFailure(rule, error, log), log);
	}
	return await askPolicies({ rules: rules.slice(rules.indexOf(rule) + 1), call, log }, held);
};
