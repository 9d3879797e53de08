/** The exchange of a conversation under guards, with an upstream that speaks the client's protocol. */

import { Fault } from "../../contract/fault.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Exchange } from "../call/exchange.ts";
import type { Guarded } from "../call/guarded.ts";
import type { LiveCall } from "../call/live-call.ts";
import { GuardedEvents } from "../guards/guarded-events.ts";
import { GuardedWords } from "../guards/guarded-words.ts";
import type { Translating } from "./passthrough.ts";
import type { TranslationOptions } from "./translation.ts";

/** Makes what looks at an answer; undefined where no guard asked to. An answer that is all there has used what it has, also where a guard refuses it. */
export const guardAnswers = ({ answers }: Guarded, live: LiveCall): TranslationOptions["guardAnswer"] =>
	answers.length === 0
		? undefined
		: (seen) => {
				if (seen) live.saw(seen);
				return new GuardedEvents(new GuardedWords(answers, live));
			};

/** The request in the client's own protocol as guards left it; undefined where it can only be written anew. */
export const guardedAsk = ({ prompt, modelAsk }: Guarded, ask: ProtocolAsk): ProtocolAsk | undefined => {
	const sent = prompt ? modelAsk : ask;
	// What the request names at its upstream could not be named in other words.
	const named = sent ? undefined : (ask.onlyUpstream ?? ask.onlyProtocol);
	if (named) throw new Fault(named);
	return sent;
};

/** The client's own bytes but for the words that guards changed, and the upstream's where none looks at them. */
export const guardedPassthrough = ({ answers }: Guarded, passed: Exchange, ways: Translating): Exchange => {
	if (answers.length === 0) return passed;
	const { message, losses, tiers } = passed;
	const back = ways.translated();
	return {
		message,
		losses,
		tiers,
		...(back.emulated !== undefined && { emulated: back.emulated }),
		whole: (bytes) => back.whole(bytes),
		wholeAsStream: (bytes) => back.wholeAsStream(bytes),
		stream: (isEvents, type) => back.stream(isEvents, type),
		streamAsWhole: () => back.streamAsWhole(),
		error: (status, headers, text) => back.error(status, headers, text),
	};
};
