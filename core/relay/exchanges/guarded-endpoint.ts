/** The exchange of an endpoint under guards: its answers pass them before they reach the client. */
import { parseJson } from "../../neutral/json.ts";
import type { Exchange, WholeAnswer } from "../call/exchange.ts";
import type { NamedAnswerGuard } from "../call/guarded.ts";
import type { LiveCall } from "../call/live-call.ts";
import { guardEvents, guardText } from "../guards/guarded-endpoint-stream.ts";
import { GuardedWords } from "../guards/guarded-words.ts";
import type { EndpointExchange } from "./endpoint-exchange.ts";

const utf8 = new TextDecoder();

/** The same exchange whose answers pass the guards first. */
export const guardEndpoint = (
	exchange: EndpointExchange,
	answers: readonly NamedAnswerGuard[],
	live: LiveCall,
): EndpointExchange => {
	const inspected = async (answer: WholeAnswer): Promise<WholeAnswer> => {
		// An answer that is all there has used what it has, also where a guard refuses it.
		live.saw(answer.seen);
		if (answer.seen.error || answer.headers?.["content-type"]?.startsWith("audio/")) return answer;
		const text = typeof answer.body === "string" ? answer.body : utf8.decode(answer.body);
		const words = new GuardedWords(answers, live);
		const value = parseJson(text);
		if (value === undefined) return { ...answer, body: await words.whole(text) };
		const body = await words.json(value);
		return body === value ? answer : { ...answer, body: JSON.stringify(body) };
	};
	const whole: Exchange["whole"] = async (bytes, type) => await inspected(await exchange.whole(bytes, type));
	return {
		...exchange,
		whole,
		gathering() {
			const gathering = exchange.gathering();
			return { ...gathering, end: async () => await inspected(await gathering.end()) };
		},
		stream(isEvents, type) {
			const pass = exchange.stream(isEvents, type);
			const words = new GuardedWords(answers, live);
			// Events that go on as sound have no words.
			if (isEvents && exchange.streamsAs !== undefined) return pass;
			if (isEvents) return guardEvents(pass, words);
			return type.startsWith("text/") ? guardText(pass, words) : pass;
		},
	};
};
