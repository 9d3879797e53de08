/**
 * What policies, guards, authenticators and doorkeepers may answer. Their types ask for no more; plain JavaScript may answer what no type allows, `false`, an
 * `Error` or a `Response` to refuse by. Whoever answers so has failed, and no call passes by it.
 */
import type { RefusedToken } from "../../contract/authenticator.ts";
import type { AccessToken } from "../../contract/call.ts";
import { type Denial, isDenial, isFault } from "../../contract/fault.ts";
import type { AnswerVerdict, RequestVerdict } from "../../contract/guard.ts";
import type { Operator } from "../../contract/operator.ts";
import type { Permit } from "../../contract/policy.ts";
import type { Block, Message } from "../../neutral/content.ts";
import { denialKinds } from "../../neutral/denial.ts";
import type { NeutralRequest } from "../../neutral/request.ts";

const isObject = (answer: unknown): boolean => typeof answer === "object" && answer !== null;
const isEmpty = (answer: object): boolean => answer.constructor === Object && Object.keys(answer).length === 0;

/** Without a body in braces: it is asked of every permit of every call. */
export const isPermit = (answer: Permit | Denial): answer is Permit =>
	isObject(answer) &&
	!isDenial(answer) &&
	("settle" in answer ||
		"progress" in answer ||
		"maxOutputTokens" in answer ||
		"readOnMs" in answer ||
		"tags" in answer ||
		"explains" in answer ||
		"ready" in answer ||
		("headers" in answer && !(answer instanceof Response)) ||
		isEmpty(answer));

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws for a header that cannot be sent: found at the answer, it would be taken for the upstream's failure. */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
	for (const [name, value] of Object.entries(headers))
		if (!headerName.test(name) || !headerValue.test(value))
			throw new TypeError(
				`its header "${name}" cannot be sent: names are letters, digits and "-", values have no line break and nothing beyond Latin-1 (encodeURIComponent writes anything)`,
			);
};

const isWhole = (denial: Denial): boolean => denialKinds.includes(denial?.kind) && typeof denial.message === "string";

/** The denial itself. Throws for anything else. */
export const denialIn = (answer: Denial): Denial => {
	if (isWhole(answer)) return answer;
	throw new TypeError("it answered something that deny() does not make; undefined lets a call pass");
};

/** What a rule refused by throwing it; undefined where it failed, as one does whose statement the database cannot do. */
export const refusalIn = (error: unknown): Denial | undefined =>
	isFault(error) && isWhole(error.denial) && error.denial.kind !== "internal" ? error.denial : undefined;

const isBlock = (block: Block): boolean =>
	isObject(block) && typeof block.type === "string" && (block.type !== "text" || typeof block.text === "string");

const isMessage = (message: Message): boolean =>
	isObject(message) &&
	typeof message.role === "string" &&
	Array.isArray(message.blocks) &&
	message.blocks.every(isBlock);

const isRequest = (request: NeutralRequest): boolean =>
	isObject(request) &&
	isObject(request.sampling) &&
	Array.isArray(request.messages) &&
	request.messages.every(isMessage);

const isRestore = (restore: ReadonlyMap<string, string>): boolean =>
	restore instanceof Map &&
	[...restore].every(([stand, own]) => typeof stand === "string" && stand !== "" && typeof own === "string");

const noVerdict = "it answered none of { refuse }, { replace }, { restore } and { answer }; undefined lets a call pass";

/** The verdict itself. Throws for what is none. */
export const verdictIn = (answer: RequestVerdict): RequestVerdict => {
	if (answer === undefined) return undefined;
	if (!isObject(answer)) throw new TypeError(noVerdict);
	if (isEmpty(answer)) return undefined;
	if ("refuse" in answer) return { refuse: denialIn(answer.refuse) };
	if (!("replace" in answer || "restore" in answer || "answer" in answer)) throw new TypeError(noVerdict);
	const { replace, restore, answer: look } = answer;
	if (replace !== undefined && !isRequest(replace)) throw new TypeError("its replace is no request");
	if (restore !== undefined && !isRestore(restore)) throw new TypeError("its restore is no Map of texts");
	if (look !== undefined && typeof look?.inspect !== "function") throw new TypeError("its answer has no inspect");
	return answer;
};

/** What a guard leaves of some words of an answer, or its refusal. Throws for what is no verdict. */
export const wordsIn = (verdict: AnswerVerdict, text: string): string | Denial => {
	if (verdict === undefined) return text;
	if (isObject(verdict) && "refuse" in verdict) return denialIn(verdict.refuse);
	if (isObject(verdict) && "replace" in verdict && typeof verdict.replace === "string") return verdict.replace;
	throw new TypeError("it answered neither { refuse } nor { replace } with a text; undefined lets words pass");
};

/** Tokens that were seen to be enforced: settings are looked through once for each object. */
const enforced = new WeakSet<AccessToken>();

/** Throws for a setting that was not compiled: its policy would take the token for one that has none, and refuse nothing. */
const enforce = (token: AccessToken): boolean => {
	const loose = Object.keys(token.settings).find((key) => token.compiled.get(key) === undefined);
	if (loose !== undefined)
		throw new TypeError(
			`its token has the setting "${loose}" and nothing compiled for it, so that no policy would enforce it; vouchedToken of #core/plugins/tokens makes a token whose settings count`,
		);
	enforced.add(token);
	return true;
};

const isToken = (token: AccessToken): boolean =>
	typeof token.id === "string" &&
	typeof token.name === "string" &&
	isObject(token.settings) &&
	typeof token.compiled?.get === "function" &&
	(enforced.has(token) || enforce(token));

const isRefusedToken = ({ denial, refused }: RefusedToken): boolean =>
	isWhole(denial) && typeof refused?.id === "string" && typeof refused.name === "string";

const isIdentity = (answer: AccessToken | RefusedToken | Denial): boolean =>
	isObject(answer) &&
	(isDenial(answer) ? isWhole(answer) : "denial" in answer ? isRefusedToken(answer) : isToken(answer));

const noIdentity = (): never => {
	throw new TypeError("it answered neither a token nor a refusal; undefined leaves a key to the next");
};

/**
 * Whom an authenticator knows. Throws for what is neither a token nor a refusal: undefined asks the next. Without a body in
 * braces, as is all that it asks: every call comes by.
 */
export const identityIn = <Known extends AccessToken | RefusedToken | Denial>(answer: Known): Known =>
	isIdentity(answer) ? answer : noIdentity();

const isOperator = ({ id, name, role, scope }: Operator): boolean =>
	typeof id === "string" &&
	typeof name === "string" &&
	(role === "admin" || role === "member") &&
	(scope === "all" || typeof scope?.owner === "string");

/** Whom a doorkeeper lets in, or its refusal. Throws for what is neither: undefined asks the next. */
export const operatorIn = (answer: Operator | Denial): Operator | Denial => {
	if (isObject(answer) && (isDenial(answer) ? isWhole(answer) : isOperator(answer))) return answer;
	throw new TypeError("it answered neither an operator nor a refusal; undefined leaves a request to the next");
};
