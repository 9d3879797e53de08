/**
 * Guards: they see what is said, in requests and in answers, and may change or refuse it. Every protocol, endpoint and
 * task passes them alike, once its policies have agreed and before anything is sent. A guard that fails refuses the call.
 */
import type { NeutralRequest } from "../neutral/request.ts";
import type { Routed } from "./call.ts";
import type { Denial } from "./fault.ts";
import { slot } from "./token.ts";

/** What a guard wants done; `undefined` lets the request pass as it is. */
export type RequestVerdict =
	| { readonly refuse: Denial }
	| {
			/**
			 * What is sent in the request's place. Its protocol, the model, whether it streams, how many answers and which tier stay
			 * what policies agreed to; a limit of tokens may only fall.
			 */
			readonly replace?: NeutralRequest;
			/** Stand-ins that were put into the request, with the words they stand for: put back wherever the answer has them. */
			readonly restore?: ReadonlyMap<string, string>;
			/** What looks at the answer; without it the answer passes unseen, but for what is put back. */
			readonly answer?: AnswerGuard;
	  }
	| undefined;

/** Words of an answer that have come and have not been handed on yet. */
export interface AnswerWords {
	/** `arguments`: JSON of a tool call, perhaps a piece of it; what is put in must be escaped. */
	readonly type: "text" | "thinking" | "refusal" | "transcript" | "arguments";
	readonly text: string;
	/** True when nothing of the same block is to come. */
	readonly last: boolean;
}

/** What an answer guard wants done; `undefined` lets the words pass as they are. */
export type AnswerVerdict = { readonly refuse: Denial } | { readonly replace: string } | undefined;

/**
 * Looks at one answer. A whole answer is shown block by block, a stream by windows: the words since the last look, and
 * before them the `window` that was held back.
 */
export interface AnswerGuard {
	/** How many characters are held back until more is there: as many as must be seen in one piece. */
	readonly window: number;
	/** After how many new characters it looks again; 1 unless said. */
	readonly every?: number;
	inspect(words: AnswerWords): AnswerVerdict | Promise<AnswerVerdict>;
}

/**
 * Sees requests, and answers where it asks for them. `request` has all that is said to the model: the messages of a conversation,
 * the texts of an endpoint, the prompt and fields of a task; its `leftAside` is what else the body holds, and goes as it is to an
 * upstream of the same protocol. `mapTexts` reaches each text. The request is frozen: change it by `replace`. A setting of tokens
 * for a guard is that of a policy with nothing else: `call.token.compiled.get(key)`.
 *
 * @example
 * const guard: Guard = {
 * 	name: "no-secrets",
 * 	inspect(request) {
 * 		const replace = mapTexts(request, (text) => text.replaceAll("Project Bluebird", "the project"));
 * 		return replace === request ? undefined : { replace };
 * 	},
 * };
 * return { offers: [add(guards, guard)] };
 */
export interface Guard {
	readonly name: string;
	inspect(request: NeutralRequest, call: Routed): RequestVerdict | Promise<RequestVerdict>;
}

/** What looks at words. Requests pass them in the order of the config, answers in the reverse; each sees what the one before left. */
export const guards = slot<Guard>("guards");
