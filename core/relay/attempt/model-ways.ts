/** How a conversation goes to one target: as the bytes it is, or written anew; and how else, when the target has refused it. */
import type { ModelRouted } from "../../contract/call.ts";
import { type Denial, deny, Fault } from "../../contract/fault.ts";
import type { Protocol, ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import type { ModelCapabilities } from "../../neutral/model.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { withoutSigner } from "../../neutral/without-signer.ts";
import type { Exchange } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import { guardAnswers, guardedAsk, guardedPassthrough } from "../exchanges/guarded-exchange.ts";
import { Passthrough, type Translating } from "../exchanges/passthrough.ts";
import { Translation } from "../exchanges/translation.ts";
import { type Approach, type ApproachOptions, type OtherWays, refuseLosses, type SummaryFirst } from "./approach.ts";
import { refusedCapabilities } from "./refused-capabilities.ts";
import { isUnverified } from "./unverified.ts";

/** A permit's limit is one for all targets; each is asked for no more than it can give. */
const limitFor = ({ permits }: LiveCall, { capabilities }: Target): number | undefined =>
	permits.maxOutputTokens === undefined
		? undefined
		: Math.min(permits.maxOutputTokens, capabilities.maxOutput ?? Number.POSITIVE_INFINITY);

/** Why no conversation is held with an upstream: a plugin's may serve endpoints alone. */
const speechless = (model: string, { upstream: { protocols, endpoints = {} } }: Target): Denial => {
	const [spoken] = protocols;
	if (spoken !== undefined)
		return deny("upstream", `The model's upstream speaks "${spoken}", which no plugin here knows.`);
	const message = `The model "${model.slice(0, 128)}" holds no conversations. It serves ${Object.keys(endpoints).join(", ")}.`;
	return deny("invalid_request", message, { code: "unsupported_endpoint", parameter: "model" });
};

/** The ways of a conversation to one target: as the bytes it is, or written anew. */
export class ModelWays implements Translating, OtherWays {
	private readonly live: LiveCall;
	private readonly ask: ProtocolAsk;
	private target: Target;
	private readonly protocols: ApproachOptions["protocols"];
	private upstream: Protocol;
	private readonly strict: boolean;
	private readonly limit: number | undefined;
	/** Whether the client's own bytes are sent. */
	private passes = false;
	/** The request with signatures of nobody, once the upstream could not verify them. */
	private unsignedPrompt: NeutralRequest | undefined;

	constructor(live: LiveCall, { ask }: ModelRouted, target: Target, { protocols, strict }: ApproachOptions) {
		const { protocols: spoken } = target.upstream;
		const upstream = spoken.includes(ask.protocol.name) ? ask.protocol : protocols.get(spoken[0] ?? "");
		if (!upstream) throw new Fault(speechless(live.routed.model.name, target));
		this.live = live;
		this.ask = ask;
		this.target = target;
		this.protocols = protocols;
		this.upstream = upstream;
		this.strict = strict;
		this.limit = limitFor(live, target);
	}

	/** The way that changes least. */
	best(): Approach {
		const { ask, target, limit } = this;
		const { guarded, compaction: shorter } = this.live;
		const sent = guarded ? guardedAsk(guarded, ask) : ask;
		if (this.upstream !== ask.protocol || !sent || shorter.request) return this.byTranslation();
		this.passes = true;
		const passed = new Passthrough(sent, target, limit, this);
		return this.complete(guarded ? guardedPassthrough(guarded, passed, this) : passed);
	}

	after(refused: Approach, status: number, text: string): Approach | undefined {
		const { compaction } = this.ask.protocol.client;
		if (this.passes && compaction?.isUnknown(this.ask, status, text)) return this.byTranslation();
		return (
			this.elsewhere(status, text) ??
			this.without(refused, status, text) ??
			this.asTakenElse(refused, status, text) ??
			this.unsigned(refused, status, text)
		);
	}

	translated(): Exchange {
		return this.translate(this.prompt());
	}

	private byTranslation(): Approach {
		this.passes = false;
		const { live, ask, target, upstream } = this;
		const request = this.prompt();
		const { compaction } = ask.protocol.client;
		const first = live.compaction.request ? undefined : compaction?.ask(request);
		if (!compaction || !first) return this.complete(this.translate(request));
		const goOn: SummaryFirst["goOn"] = (answer, usage) => compaction.goOn(request, answer, usage);
		const asked = new Translation({ ask, prompt: first, target, upstream, limit: undefined });
		return { ...this.complete(asked), summary: { request: first, goOn } };
	}

	private prompt(): NeutralRequest {
		const { compaction, guarded, routed } = this.live;
		return this.unsignedPrompt ?? compaction.request ?? guarded?.prompt ?? routed.prompt();
	}

	private translate(prompt: NeutralRequest): Exchange {
		const { live, ask, target, upstream, limit } = this;
		const guardAnswer = live.guarded && guardAnswers(live.guarded, live);
		return new Translation({ ask, prompt, target, upstream, limit, guardAnswer });
	}

	private complete(exchange: Exchange): Approach {
		const { ask, upstream } = this;
		if (this.strict) refuseLosses([...(ask.steered ?? []), ...exchange.losses]);
		const sameForm = upstream === ask.protocol;
		return { exchange, ways: this, protocol: upstream.name, wire: upstream.upstream, sameForm };
	}

	/** The request without what a refusal says that the model cannot do; undefined where that changes nothing. */
	private without(refused: Approach, status: number, text: string): Approach | undefined {
		const denied = refused.sameForm ? undefined : this.upstream.upstream.unable?.(status, text);
		return denied && this.lacking(refused, denied);
	}

	/** The request as the refusal says that it would be taken; undefined where it says nothing of it. */
	private asTakenElse(refused: Approach, status: number, text: string): Approach | undefined {
		const lacks = refusedCapabilities({ prompt: this.prompt(), status, text, sameForm: refused.sameForm });
		return lacks && this.lacking(refused, lacks);
	}

	/** The request for a model that cannot do this, as a refusal tells. */
	private lacking(refused: Approach, denied: ModelCapabilities): Approach | undefined {
		const { target } = this;
		this.target = { ...target, capabilities: { ...target.capabilities, ...denied } };
		return this.anew(refused);
	}

	/** The request with signatures that cannot be verified told as another provider's; undefined where it has none. */
	private unsigned(refused: Approach, status: number, text: string): Approach | undefined {
		if (!isUnverified(status, text)) return undefined;
		const signed = this.prompt();
		this.unsignedPrompt = withoutSigner(signed);
		return this.unsignedPrompt === signed ? undefined : this.anew(refused);
	}

	/** The way by translation; undefined where what is sent would be the same. */
	private anew({ exchange }: Approach): Approach | undefined {
		const other = this.byTranslation();
		return other.exchange.message.body === exchange.message.body ? undefined : other;
	}

	/** The way in the protocol that a refusal names, where the upstream speaks it. */
	private elsewhere(status: number, text: string): Approach | undefined {
		const name = this.upstream.upstream.refersTo?.(status, text) ?? "";
		const other = this.target.upstream.protocols.includes(name) ? this.protocols.get(name) : undefined;
		if (!other) return undefined;
		this.upstream = other;
		return this.byTranslation();
	}
}
