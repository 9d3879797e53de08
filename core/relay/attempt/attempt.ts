/** One try at one target: sends, and gives a response once the first byte of a good answer is there. */
import { deny, Fault, isFault } from "../../contract/fault.ts";
import type { SendOptions, Target } from "../../contract/upstream.ts";
import type { UpstreamMessage } from "../../contract/upstream-side.ts";
import { clientGone } from "../../errors/no-answer.ts";
import { scrub } from "../../errors/redact.ts";
import { asUnreachable } from "../../errors/unanswered.ts";
import { errorAsTold, mayBeDone } from "../../errors/upstream-failure.ts";
import { estimateTokens } from "../../neutral/estimate.ts";
import { normalizeRequest } from "../../neutral/normalize-request.ts";
import { type HeldBody, heldBody } from "../../wire/held-body.ts";
import type { MaybeLater } from "../../wire/pending.ts";
import { type AnswerOptions, answer, sendWhole } from "../answer/answer.ts";
import { UpstreamBody } from "../answer/upstream-body.ts";
import type { Waiting } from "../call/call-parts.ts";
import type { Exchange } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import type { Approach, ApproachOptions, Batch, SummaryFirst } from "./approach.ts";
import { approachEndpoint } from "./approach-endpoint.ts";
import type { Asking } from "./asking.ts";
import { askBatch } from "./batch.ts";
import { compactFirst } from "./compact-first.ts";
import { ModelWays } from "./model-ways.ts";

export interface AttemptOptions extends ApproachOptions, Pick<AnswerOptions, "clock" | "limits" | "openStreamBody"> {
	/** Whether the call may be sent to the same upstream again when nobody knows what became of it. */
	mayRepeat(live: LiveCall): boolean;
}

/** Statuses that tell the client something about its own request; every other failure is between Portico and the upstream. */
const clientsOwn = new Set([400, 404, 405, 409, 410, 411, 413, 415, 422]);

/**
 * A failed answer: passed on when it speaks of the client's own request in its own protocol, otherwise a `Fault`. A model
 * that this upstream does not know may be known to the next.
 */
const failure = async (
	live: LiveCall,
	{ exchange, sameForm }: Approach,
	response: Response,
	hasNext: boolean,
): Promise<Response> => {
	const text = await response.text().catch(() => "");
	live.attempts.said(text);
	const denial = exchange.error(response.status, response.headers, text);
	const isJson = response.headers.get("content-type")?.includes("json") === true;
	// Some upstreams refuse Portico's own key with a 400: what the protocol calls the upstream's failure is not the client's.
	const isClients =
		clientsOwn.has(response.status) && denial.kind !== "upstream" && !(hasNext && denial.kind === "model_not_found");
	// What speaks the protocol need not tell errors as it does; endpoints have dialects, each with a shape of its own.
	const told = live.routed.surface === "model" ? errorAsTold(text) : text;
	if (!sameForm || !isClients || !isJson || told === undefined) throw new Fault(denial);
	live.end("upstream_failed", response.status, denial);
	return new Response(scrub(told), {
		status: response.status,
		headers: { "content-type": "application/json", "x-should-retry": "false" },
	});
};

/** The client's question how many tokens its request is, answered by Portico's own estimate, and marked so. */
const estimateCount = (live: LiveCall): Response => {
	const { routed } = live;
	const client = routed.surface === "model" ? routed.ask.protocol.client : undefined;
	if (!client?.encodeTokenCount) throw new Fault(deny("unsupported", "Tokens cannot be counted in this protocol."));
	const tokens = estimateTokens(normalizeRequest(live.routed.prompt()).request);
	live.end("completed", 200);
	return Response.json(client.encodeTokenCount(tokens), { headers: { "x-portico-estimated": "true" } });
};

/** Whether its account is the token's alone and keeps what the client names there. */
const isClientsOwn = ({ tenancy, remembers }: Target["upstream"]): boolean =>
	tenancy === "single" && remembers === true;

/** Statuses by which an upstream says that it has no such route. */
const noSuchRoute = new Set([404, 405, 501]);

/** Statuses by which an upstream may refuse the form of a request, and take it in another. */
const tellsOfForm = new Set([400, 422, 500, ...noSuchRoute]);

/** Each refusal tells one thing; a client of another model may have asked for several that this one does not take. */
const mostWays = 4;

/** The request's body, where it is JSON. */
const heldOf = ({ routed }: LiveCall): HeldBody | undefined => {
	if (routed.surface === "model") return heldBody(routed.ask.body);
	return routed.ask.body.type === "json" ? heldBody(routed.ask.body.json) : undefined;
};

/** What tells an upstream which trace an attempt belongs to, in the words of W3C Trace Context. */
const traceHeaders = ({ trace, attempts }: LiveCall): Readonly<Record<string, string>> => {
	const spanId = attempts.last?.spanId;
	if (!trace || spanId === undefined) return {};
	const flags = trace.sampled ? "01" : "00";
	return {
		traceparent: `00-${trace.traceId}-${spanId}-${flags}`,
		...(trace.state !== undefined && { tracestate: trace.state }),
	};
};

/** A count that no upstream can give is estimated. */
const countsHere = ({ routed }: LiveCall, { upstream }: Target, { protocols }: AttemptOptions): boolean => {
	if (routed.surface !== "model") return false;
	if (upstream.protocols.includes(routed.ask.protocol.name)) return false;
	return !protocols.get(upstream.protocols[0] ?? "")?.upstream.decodeTokenCount;
};

/** What only an upstream of the client's own, or of its protocol, may be asked. */
const refuseForeign = ({ routed }: LiveCall, { upstream }: Target): void => {
	if (routed.surface !== "model") return;
	const { onlyUpstream, looksUp, onlyProtocol, protocol } = routed.ask;
	const speaksIt = upstream.protocols.includes(protocol.name);
	if (onlyProtocol && !speaksIt) throw new Fault(onlyProtocol);
	if (onlyUpstream && !(speaksIt && isClientsOwn(upstream))) throw new Fault(onlyUpstream);
	if (looksUp && speaksIt && !isClientsOwn(upstream)) throw new Fault(looksUp);
};

/** Tries one target, after which there may be a next. Throws `Fault` while nothing has been sent to the client, so that another may be tried. */
export const attempt = (
	live: LiveCall,
	target: Target,
	options: AttemptOptions,
	hasNext: boolean,
): MaybeLater<Response> => {
	refuseForeign(live, target);
	const counts = live.routed.model.operation === "count_tokens" && countsHere(live, target, options);
	return counts ? estimateCount(live) : new Attempt(live, target, options).run(hasNext);
};

/** A protocol in plain JavaScript may name none; and what follows a host without a slash is another host. */
const isPath = (path: unknown): boolean => typeof path === "string" && path.startsWith("/");

const approach = (live: LiveCall, target: Target, options: ApproachOptions): Approach =>
	live.routed.surface === "model"
		? new ModelWays(live, live.routed, target, options).best()
		: approachEndpoint(live, live.routed, target, options);

class Attempt implements Waiting {
	private readonly live: LiveCall;
	private readonly target: Target;
	private readonly options: AttemptOptions;
	private readonly abort = new AbortController();
	/** The answer, once it is read. */
	private source: UpstreamBody | undefined;
	private way: Approach;

	constructor(live: LiveCall, target: Target, options: AttemptOptions) {
		this.live = live;
		this.target = target;
		this.options = options;
		this.way = approach(live, target, options);
		live.waitsFor = this;
	}

	stop(): void {
		if (this.source) this.source.stop(clientGone);
		else this.abort.abort();
	}

	async run(hasNext: boolean): Promise<Response> {
		const { live, abort } = this;
		const { clock, limits, openStreamBody } = this.options;
		if (this.way.batch) return await this.runBatch(this.way, this.way.batch, hasNext);
		let response = await this.go(this.way);
		if (tellsOfForm.has(response.status)) response = await this.goOtherwise(response);
		const { way } = this;
		if (live.routed.model.operation === "count_tokens" && noSuchRoute.has(response.status)) return estimateCount(live);
		if (!response.ok) return await failure(live, way, response, hasNext);
		const source = new UpstreamBody(response, abort, live);
		this.source = source;
		const type = response.headers.get("content-type") ?? "";
		return await answer({ live, exchange: way.exchange, source, type, clock, limits, openStreamBody });
	}

	private async runBatch(way: Approach, { more, gathering }: Batch, hasNext: boolean): Promise<Response> {
		const { live } = this;
		const whole = await askBatch({ ...this.asking(), first: this.go(way), more, gathering: gathering() });
		if (whole instanceof Response) return await failure(live, way, whole, hasNext);
		return await sendWhole({ live, openStreamBody: this.options.openStreamBody }, whole);
	}

	private go(way: Approach): Promise<Response> {
		const { live } = this;
		this.way = way;
		if (way.summary) return this.goCompacted(way.exchange, way.summary);
		const { message, losses, tiers, emulated } = way.exchange;
		const { steered } = live.routed.ask;
		live.losses = steered ? [...steered, ...losses] : losses;
		live.tiers = tiers;
		live.emulated = emulated;
		return this.ask(message);
	}

	private async goCompacted(exchange: Exchange, summary: SummaryFirst): Promise<Response> {
		const refusal = await compactFirst(exchange, summary, this.asking());
		return refusal ?? (await this.go(approach(this.live, this.target, this.options)));
	}

	/** The ways after refusals, as long as there are others; else the last refusal again, whose words have been read. */
	private async goOtherwise(first: Response): Promise<Response> {
		let response = first;
		for (let ways = 0; ways < mostWays && this.way.ways && tellsOfForm.has(response.status); ways++) {
			const { status, headers } = response;
			const text = await response.text().catch(() => "");
			const other = this.way.ways.after(this.way, status, text);
			if (!other) return new Response(text, { status, headers });
			response = await this.go(other);
		}
		return response;
	}

	private asking(): Asking {
		const { live, abort } = this;
		const { clock, limits } = this.options;
		return { live, clock, limits, abort, ask: (message) => this.ask(message) };
	}

	/** Sends a message; an upstream that does not take it bills nothing. */
	private async ask(message: UpstreamMessage): Promise<Response> {
		const { live, target, way, abort } = this;
		const { id, model } = live.routed;
		if (!isPath(message.path)) throw new TypeError(`the path of "${way.protocol}" at an upstream must begin with "/"`);
		const options: { -readonly [K in keyof SendOptions]: SendOptions[K] } = {
			protocol: way.protocol,
			wire: way.wire,
			keys: live.attempts,
			abort,
			stream: model.stream && !way.summary,
			callId: id,
			mayRepeat: () => !live.left && this.options.mayRepeat(live),
		};
		if (live.trace) options.traceHeaders = () => traceHeaders(live);
		if (way.endpoint !== undefined) options.endpoint = way.endpoint;
		if (model.affinity !== undefined) options.affinity = model.affinity;
		live.sending(target);
		heldOf(live)?.letGo(message.body);
		try {
			const response: unknown = await target.upstream.send(message, options);
			if (!(response instanceof Response)) throw new TypeError(`"${target.upstream.name}" sent and got no Response`);
			live.attempts.answered(response.status);
			if (!response.ok) live.refused();
			return response;
		} catch (thrown) {
			const error = asUnreachable(thrown, target.upstream.name);
			if (isFault(error) && !mayBeDone(error.denial) && !live.left && !live.stoppedFor) live.refused();
			throw error;
		}
	}
}
