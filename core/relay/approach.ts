/** How a call goes to one target: in which words, and how the answer comes back. */
import type { EndpointRouted, ModelRouted } from "../contract/call.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Protocol, UpstreamMessage } from "../contract/protocol.ts";
import type { SendOptions, Target } from "../contract/router.ts";
import type { Loss } from "../neutral/model.ts";
import type { NeutralRequest } from "../neutral/request.ts";
import type { Usage } from "../neutral/response.ts";
import { createEndpointExchange, type EndpointExchange } from "./endpoint-exchange.ts";
import type { Exchange } from "./exchange.ts";
import { guardEndpoint } from "./guarded-endpoint.ts";
import { guardAnswers, guardedAsk, guardedPassthrough } from "./guarded-exchange.ts";
import type { LiveCall } from "./live-call.ts";
import { Passthrough } from "./passthrough.ts";
import { createTranslation } from "./translation.ts";

export interface ApproachOptions {
	readonly protocols: ReadonlyMap<string, Protocol>;
	readonly endpoints: ReadonlyMap<string, Endpoint>;
	/** Refuse rather than leave something behind. */
	readonly strict: boolean;
}

/** A permit's limit is one for all targets; each is asked for no more than it can give. */
const limitFor = ({ permits }: LiveCall, { capabilities }: Target): number | undefined =>
	permits.maxOutputTokens === undefined
		? undefined
		: Math.min(permits.maxOutputTokens, capabilities.maxOutput ?? Number.POSITIVE_INFINITY);

const refuseLosses = (losses: readonly Loss[]): void => {
	const [first] = losses;
	if (!first) return;
	const paths = losses.map(({ path }) => path).join(", ");
	const message = `This model's upstream cannot take ${paths}, and the operator wants nothing dropped. Leave it out, or ask another model.`;
	throw new Fault({ kind: "unsupported", message, parameter: first.path });
};

/** How a call goes to one target. */
export interface Approach {
	readonly exchange: Exchange;
	/** Further messages of a batch that is too long for one. */
	readonly more: readonly UpstreamMessage[];
	/** Given where there are more: makes one answer of all. */
	readonly gathering?: EndpointExchange["gathering"];
	/** Set where a summary is asked for first: the request for it, and how the call goes on from its answer. */
	readonly first?: NeutralRequest;
	readonly goOn?: (answer: unknown, usage: Usage) => NeutralRequest;
	/** What is done after a refusal; undefined where that is all there is to be said. */
	readonly otherwise?: (status: number, text: string) => Approach | undefined;
	/** The protocol or dialect that the upstream is asked in. */
	readonly protocol: string;
	readonly endpoint?: string;
	readonly wire: SendOptions["wire"];
	/** Whether the upstream speaks as the client does: then it may tell the client what is wrong with the request itself. */
	readonly sameForm: boolean;
}

const approachModel = (live: LiveCall, routed: ModelRouted, target: Target, options: ApproachOptions): Approach => {
	const { guarded } = live;
	const { ask } = routed;
	const { protocols: spoken } = target.upstream;
	const limit = limitFor(live, target);
	const upstream = spoken.includes(ask.protocol.name) ? ask.protocol : options.protocols.get(spoken[0] ?? "");
	if (!upstream)
		throw new Fault(deny("upstream", `The model's upstream speaks "${spoken[0]}", which no plugin here knows.`));
	const passes = upstream === ask.protocol;
	const way = { more: [], protocol: upstream.name, wire: upstream.upstream, sameForm: passes };
	const complete = (exchange: Exchange): Approach => {
		if (options.strict) refuseLosses([...(ask.steered ?? []), ...exchange.losses]);
		return { ...way, exchange };
	};
	const prompt = (): NeutralRequest => live.compaction.request ?? guarded?.prompt ?? routed.prompt();
	const translate = (request: NeutralRequest): Exchange => {
		const guardAnswer = guarded && guardAnswers(guarded, live);
		return createTranslation({ ask, prompt: request, target, upstream, limit, guardAnswer });
	};
	const { compaction } = ask.protocol.client;
	const byTranslation = (): Approach => {
		const request = prompt();
		const first = live.compaction.request ? undefined : compaction?.ask(request);
		if (!compaction || !first) return complete(translate(request));
		const goOn: Approach["goOn"] = (answer, usage) => compaction.goOn(request, answer, usage);
		const asked = createTranslation({ ask, prompt: first, target, upstream, limit: undefined });
		return { ...complete(asked), first, goOn };
	};
	const sent = guarded ? guardedAsk(guarded, ask) : ask;
	if (!passes || !sent || live.compaction.request) return byTranslation();
	const passed = new Passthrough(sent, target, limit, () => translate(prompt()));
	const found = complete(guarded ? guardedPassthrough(guarded, passed, () => translate(prompt())) : passed);
	if (!compaction) return found;
	const otherwise: Approach["otherwise"] = (status, text) =>
		compaction.isUnknown(ask, status, text) ? byTranslation() : undefined;
	return { ...found, otherwise };
};

const approachEndpoint = (
	live: LiveCall,
	routed: EndpointRouted,
	target: Target,
	options: ApproachOptions,
): Approach => {
	const endpoint = options.endpoints.get(routed.model.operation);
	if (!endpoint) throw new Fault(deny("internal", `No plugin here gives the endpoint ${routed.model.operation}.`));
	const { guarded } = live;
	const open = createEndpointExchange({ ask: guarded?.endpointAsk ?? routed.ask }, endpoint, target);
	const exchange = guarded && guarded.answers.length > 0 ? guardEndpoint(open, guarded.answers, live) : open;
	const { more, gathering, losses, dialect, passes } = exchange;
	if (options.strict) refuseLosses([...(routed.ask.steered ?? []), ...losses]);
	return {
		exchange,
		more,
		...(more.length > 0 && { gathering }),
		protocol: dialect.name,
		endpoint: endpoint.name,
		wire: dialect,
		sameForm: passes,
	};
};

/** Throws `Fault` when the target cannot take the call. */
export const approach = (live: LiveCall, target: Target, options: ApproachOptions): Approach => {
	const { routed } = live;
	return routed.surface === "model"
		? approachModel(live, routed, target, options)
		: approachEndpoint(live, routed, target, options);
};
