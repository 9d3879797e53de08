/** Asks the guards about a request before anything is sent. Whatever fails refuses. */
import type { RelayedCall, Routed } from "../../contract/call.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { type Denial, isDenial, isFault } from "../../contract/fault.ts";
import type { AnswerGuard, Guard, RequestVerdict } from "../../contract/guard.ts";
import type { Log } from "../../contract/log.ts";
import { whatFailed } from "../../errors/describe.ts";
import { definedOnly } from "../../neutral/json.ts";
import { asJsonText, restorer } from "../../neutral/map-texts.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { type Guarded, guardFailed, type NamedAnswerGuard } from "../call/guarded.ts";
import { refusalIn, verdictIn } from "../policies/plugin-answers.ts";
import { changedAsk, endpointWords } from "./guarded-ask.ts";
import { changedModelAsk } from "./guarded-body.ts";
import { withLeftAside } from "./left-aside.ts";
import { unchangeable } from "./unchangeable.ts";

const verdictOf = async (guard: Guard, prompt: NeutralRequest, call: Routed, log: Log): Promise<RequestVerdict> => {
	try {
		return verdictIn(await guard.inspect(unchangeable(prompt), call));
	} catch (error) {
		const refuse = refusalIn(error);
		if (refuse) return { refuse };
		log.error("a guard failed; the call is refused", { guard: guard.name, ...whatFailed(error), callId: call.id });
		return { refuse: guardFailed };
	}
};

/** A guard changes what is said: who is asked, how, and for how much at most, was agreed before it, and held for. */
const onItsTerms = (changed: NeutralRequest, agreed: NeutralRequest): NeutralRequest => {
	if (changed === agreed) return agreed;
	const { protocol, model, stream, tier, candidates, maxOutputTokens: most } = agreed;
	const { maxOutputTokens: wanted } = changed;
	const less = most === undefined || (wanted !== undefined && wanted < most) ? wanted : most;
	return definedOnly({ ...changed, protocol, model, stream, tier, candidates, maxOutputTokens: less });
};

/** Puts back the client's own words in an answer, also where they stand within the JSON of a tool call. */
const restoring = (words: ReadonlyMap<string, string>): AnswerGuard => {
	const inJson = new Map([...words].map(([stand, own]) => [asJsonText(stand), asJsonText(own)]));
	const restored = { words: restorer(words), inJson: restorer(inJson) };
	// Too many to be arguments of one call.
	const window = [...words.keys(), ...inJson.keys()].reduce((most, { length }) => Math.max(most, length), 0);
	return {
		window,
		inspect({ type, text }) {
			const replace = type === "arguments" ? restored.inJson(text) : restored.words(text);
			return replace === text ? undefined : { replace };
		},
	};
};

/** Asks every guard in the order of the config; each sees what the one before made of the request. */
export const askGuards = async (
	guards: readonly Guard[],
	call: Routed,
	log: Log,
	original: NeutralRequest,
): Promise<Guarded | Denial> => {
	let prompt = original;
	const answers: NamedAnswerGuard[] = [];
	const restore = new Map<string, string>();
	for (const guard of guards) {
		const verdict = await verdictOf(guard, prompt, call, log);
		if (verdict === undefined) continue;
		if ("refuse" in verdict) return verdict.refuse;
		prompt = onItsTerms(verdict.replace ?? prompt, prompt);
		if (verdict.restore && verdict.restore.size > 0) {
			for (const [stand, own] of verdict.restore) restore.set(stand, own);
			answers.unshift({ name: guard.name, guard: restoring(verdict.restore) });
		}
		if (verdict.answer) answers.unshift({ name: guard.name, guard: verdict.answer });
	}
	return { answers, restore, ...(prompt !== original && { prompt }) };
};

/** The same for a call that is relayed; its body gets its new words at once, where it can hold them. */
export const guardCall = async (
	guards: readonly Guard[],
	call: RelayedCall,
	endpoints: ReadonlyMap<string, Endpoint>,
	log: Log,
): Promise<Guarded | Denial> => {
	try {
		return await guardedCall(guards, call, endpoints, log);
	} catch (error) {
		if (isFault(error)) return error.denial;
		log.error("a call could not be shown to its guards; it is refused", { ...whatFailed(error), callId: call.id });
		return guardFailed;
	}
};

const guardedCall: typeof guardCall = async (guards, call, endpoints, log) => {
	if (call.surface === "model") {
		const shown = withLeftAside(call.ask, call.prompt());
		const asked = await askGuards(guards, call, log, shown);
		const modelAsk = isDenial(asked) || !asked.prompt ? undefined : changedModelAsk(call.ask, shown, asked.prompt);
		return modelAsk ? { ...asked, modelAsk } : asked;
	}
	const words = endpointWords(call);
	const asked = await askGuards(guards, call, log, words);
	if (isDenial(asked) || !asked.prompt) return asked;
	const ask = changedAsk(call, endpoints.get(call.model.operation), words, asked.prompt);
	if (ask) return { ...asked, endpointAsk: ask };
	log.error("a guard's change could not be put into the request; the call is refused", { callId: call.id });
	return guardFailed;
};
