/** What the guards made of a call's request. */
import type { EndpointAsk } from "../../contract/endpoint.ts";
import { type Denial, deny } from "../../contract/fault.ts";
import type { AnswerGuard } from "../../contract/guard.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { NeutralRequest } from "../../neutral/request.ts";

export interface Guarded {
	/** What is sent; undefined where no guard changed anything. */
	readonly prompt?: NeutralRequest;
	/** The request of an endpoint with the changed words in its body. */
	readonly endpointAsk?: EndpointAsk;
	/** The same of a conversation, where the body can hold them. */
	readonly modelAsk?: ProtocolAsk;
	/** What looks at the answer; the one that saw the request last comes first. */
	readonly answers: readonly NamedAnswerGuard[];
	/** What stands in the request for the client's own words, and is put back in the answer. */
	readonly restore: ReadonlyMap<string, string>;
}

/** An answer's guard with the name of whoever asked for it. */
export interface NamedAnswerGuard {
	readonly name: string;
	readonly guard: AnswerGuard;
}

/** The refusal when a guard itself failed: nothing passes that could not be looked at. */
export const guardFailed: Denial = deny(
	"internal",
	"A guard could not look at this call, so it is refused. Ask again, or ask the operator.",
	{ code: "guard_failed" },
);
