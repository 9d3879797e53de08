/** How a call goes to one target: in which words, and how the answer comes back. */
import type { Endpoint } from "../../contract/endpoint.ts";
import { Fault } from "../../contract/fault.ts";
import type { Protocol } from "../../contract/protocol.ts";
import type { SendOptions } from "../../contract/upstream.ts";
import type { Loss } from "../../neutral/model.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import type { Usage } from "../../neutral/response.ts";
import type { Exchange } from "../call/exchange.ts";
import type { EndpointExchange } from "../exchanges/endpoint-exchange.ts";

export interface ApproachOptions {
	readonly protocols: ReadonlyMap<string, Protocol>;
	readonly endpoints: ReadonlyMap<string, Endpoint>;
	/** Refuse rather than leave something behind. */
	readonly strict: boolean;
}

/** What knows how else a call could go to its target. */
export interface OtherWays {
	/** By the words of the refusal of `refused`; undefined where nothing would be changed by it. */
	after(refused: Approach, status: number, text: string): Approach | undefined;
}

/** The request for a summary, and how the call goes on from its answer. */
export interface SummaryFirst {
	readonly request: NeutralRequest;
	goOn(answer: unknown, usage: Usage): NeutralRequest;
}

/** The further messages of a batch, and what makes one answer of all. */
export type Batch = Pick<EndpointExchange, "more" | "gathering">;

/** How a call goes to one target. */
export interface Approach {
	readonly exchange: Exchange;
	/** Set where a batch is too long for one message. */
	readonly batch?: Batch;
	/** Set where a summary is asked for first. */
	readonly summary?: SummaryFirst;
	/** Gives the way to try after a refusal; absent where there can be none. */
	readonly ways?: OtherWays;
	/** The protocol or dialect that the upstream is asked in. */
	readonly protocol: string;
	readonly endpoint?: string;
	readonly wire: SendOptions["wire"];
	/** Whether the upstream speaks as the client does: then it may tell the client what is wrong with the request itself. */
	readonly sameForm: boolean;
}

/** Throws `Fault` where the operator wants nothing dropped, and something is. */
export const refuseLosses = (losses: readonly Loss[]): void => {
	const [first] = losses;
	if (!first) return;
	const paths = losses.map(({ path }) => path).join(", ");
	const message = `This model's upstream cannot take ${paths}, and the operator wants nothing dropped. Leave it out, or ask another model.`;
	throw new Fault({ kind: "unsupported", message, parameter: first.path });
};
