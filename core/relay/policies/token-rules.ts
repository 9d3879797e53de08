/** The rules of a token: what each policy asks, beside what its own setting was compiled to. Found once for a token. */
import type { AccessToken } from "../../contract/call.ts";
import { type Denial, deny, Fault } from "../../contract/fault.ts";
import type { Log } from "../../contract/log.ts";
import type { ModelInfo } from "../../contract/model-listing.ts";
import type { Policy } from "../../contract/policy.ts";
import type { Router } from "../../contract/router.ts";
import { whatFailed } from "../../errors/describe.ts";
import { isPending, type MaybeLater } from "../../wire/pending.ts";
import { denialIn, refusalIn } from "./plugin-answers.ts";

/** A policy, and what the token's setting was compiled to; undefined when the token has none. */
export interface Rule {
	readonly policy: Policy;
	readonly setting: unknown;
}

/** The rules that have something to say, for each moment at which they are asked. */
interface TokenRules {
	readonly admit: readonly Rule[];
	readonly beforeBody: readonly Rule[];
	readonly check: readonly Rule[];
	readonly shows: readonly Rule[];
	/** Hears of those that fail. */
	readonly log: Log;
}

export type RulesOf = (token: AccessToken) => TokenRules;

/** The rules of any token. `policies` is asked at the first of them. */
export const createRulesOf = (policies: () => readonly Policy[], log: Log): RulesOf => {
	const known = new WeakMap<AccessToken, TokenRules>();
	const bound = (token: AccessToken): TokenRules => {
		const all = policies().map((policy) => ({
			policy,
			setting: policy.setting && token.compiled.get(policy.setting.key),
		}));
		const rules = {
			admit: all.filter(({ policy }) => policy.admit),
			beforeBody: all.filter(({ policy }) => policy.beforeBody),
			check: all.filter(({ policy }) => policy.check),
			shows: all.filter(({ policy }) => policy.shows),
			log,
		};
		known.set(token, rules);
		return rules;
	};
	return (token) => known.get(token) ?? bound(token);
};

/** The refusal when a rule itself failed: nobody passes a rule that could not be applied. */
export const ruleFailed: Denial = deny(
	"internal",
	"A rule for this token could not be applied, so the call is refused. Ask the operator.",
);

/** The refusal that a rule threw, as guards and routes may; or, where it failed, the usual one, and the log says which rule. */
export const refuseForFailure = ({ policy }: Rule, error: unknown, log: Log): Denial => {
	const refusal = refusalIn(error);
	if (refusal) return refusal;
	log.error("a policy failed; the call is refused", { policy: policy.name, ...whatFailed(error) });
	return ruleFailed;
};

/** A model of which no more is known than its name. */
const infoOf = (name: string): ModelInfo => ({ name, createdAt: 0, ownedBy: "", capabilities: {} });

/** Plain JavaScript may answer a promise, or nothing, which shows no model. */
const answersShown = ({ policy, setting }: Rule, model: ModelInfo): boolean => {
	const shown: unknown = policy.shows?.(model, setting);
	if (typeof shown === "boolean") return shown;
	throw new TypeError("shows() answered neither true nor false");
};

/** Whether every rule would show this model. Throws `Fault` where one of them failed. */
export const showsModel = ({ shows, log }: TokenRules, model: ModelInfo): boolean =>
	shows.every((rule) => {
		try {
			return answersShown(rule, model);
		} catch (error) {
			throw new Fault(refuseForFailure(rule, error, log));
		}
	});

/** The same of a name. One that is none of the router's may be an upstream's own: the rules say the same of it. */
export const showsName = (rules: TokenRules, name: string, router: Router): boolean =>
	showsModel(rules, router.model(name) ?? infoOf(name));

type Answer = Denial | undefined;
type Ask<Subject> = (rule: Rule, subject: Subject) => MaybeLater<Answer>;

/** What the first of these rules refuses with that is asked about a subject (a call); at once, unless one has to wait. */
export const firstRefusal = <Subject>(
	rules: readonly Rule[],
	ask: Ask<Subject>,
	subject: Subject,
	log: Log,
): MaybeLater<Answer> => {
	for (const rule of rules) {
		try {
			const answer = ask(rule, subject);
			if (isPending(answer)) return afterWaiting(answer, rule, { rules, ask, subject, log });
			if (answer !== undefined) return denialIn(answer);
		} catch (error) {
			return refuseForFailure(rule, error, log);
		}
	}
	return undefined;
};

/** What `firstRefusal` was asked with. No closure over it: every call would make one, and hardly any waits. */
interface Asking<Subject> {
	readonly rules: readonly Rule[];
	readonly ask: Ask<Subject>;
	readonly subject: Subject;
	readonly log: Log;
}

const afterWaiting = async <Subject>(
	waiting: Promise<Answer>,
	rule: Rule,
	{ rules, ask, subject, log }: Asking<Subject>,
): Promise<Answer> => {
	try {
		const answer = await waiting;
		if (answer !== undefined) return denialIn(answer);
	} catch (error) {
		return refuseForFailure(rule, error, log);
	}
	return await firstRefusal(rules.slice(rules.indexOf(rule) + 1), ask, subject, log);
};
