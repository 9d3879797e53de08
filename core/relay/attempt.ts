/** One try at one target: sends, and gives a response once the first byte of a good answer is there. */
import { deny, Fault, isFault } from "../contract/fault.ts";
import type { UpstreamMessage } from "../contract/protocol.ts";
import type { SendOptions, Target } from "../contract/router.ts";
import { scrub } from "../errors/redact.ts";
import { mayBeDone, tellsError } from "../errors/upstream-failure.ts";
import { estimateTokens } from "../neutral/estimate.ts";
import { normalizeRequest } from "../neutral/normalize-request.ts";
import { type HeldBody, heldBody } from "../wire/held-body.ts";
import { type AnswerOptions, answer, sendWhole } from "./answer.ts";
import { type Approach, type ApproachOptions, approach } from "./approach.ts";
import { askBatch } from "./batch.ts";
import { clientGone } from "./call-ending.ts";
import { compactFirst } from "./compact-first.ts";
import type { LiveCall } from "./live-call.ts";
import { traceHeaders } from "./trace-headers.ts";
import { UpstreamBody } from "./upstream-body.ts";

export interface AttemptOptions extends ApproachOptions, Pick<AnswerOptions, "clock" | "limits" | "openStreamBody"> {
	/** Whether the call may be sent to the same upstream again when nobody knows what became of it. */
	mayRepeat?(live: LiveCall): boolean;
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
	const isShaped = live.routed.surface !== "model" || tellsError(text);
	if (!sameForm || !isClients || !isJson || !isShaped) throw new Fault(denial);
	live.end("upstream_failed", response.status, denial);
	return new Response(scrub(text), {
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

/** Whether its account may know what the client names there. */
const isClientsOwn = ({ tenancy, remembers }: Target["upstream"]): boolean =>
	tenancy === "single" && remembers === true;

/** Statuses by which an upstream says that it has no such route. */
const noSuchRoute = new Set([404, 405, 501]);

/** The request's body, where it is JSON. */
const heldOf = ({ routed }: LiveCall): HeldBody | undefined => {
	if (routed.surface === "model") return heldBody(routed.ask.body);
	return routed.ask.body.type === "json" ? heldBody(routed.ask.body.json) : undefined;
};

const send = (live: LiveCall, target: Target, message: UpstreamMessage, options: SendOptions): Promise<Response> => {
	live.sending(target);
	heldOf(live)?.letGo(message.body);
	return target.upstream.send(message, options).then(
		(response) => {
			live.attempts.answered(response.status);
			return response;
		},
		(error: unknown) => {
			if (isFault(error) && !mayBeDone(error.denial) && !live.left && !live.stoppedFor) live.refused();
			throw error;
		},
	);
};

/** A count that no upstream can give is estimated. */
const countsHere = ({ routed }: LiveCall, { upstream }: Target, { protocols }: AttemptOptions): boolean => {
	if (routed.surface !== "model" || routed.model.operation !== "count_tokens") return false;
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
export const attempt = async (
	live: LiveCall,
	target: Target,
	options: AttemptOptions,
	hasNext: boolean,
): Promise<Response> => {
	const { routed } = live;
	const { id, model } = routed;
	refuseForeign(live, target);
	if (countsHere(live, target, options)) return estimateCount(live);
	let way = approach(live, target, options);
	const { steered } = routed.ask;
	const abort = new AbortController();
	live.onStop = () => abort.abort();
	const ask = (message: UpstreamMessage): Promise<Response> =>
		send(live, target, message, {
			protocol: way.protocol,
			...(live.trace && { traceHeaders: () => traceHeaders(live) }),
			...(way.endpoint !== undefined && { endpoint: way.endpoint }),
			wire: way.wire,
			keys: live.attempts,
			abort,
			stream: model.stream && !way.first,
			callId: id,
			mayRepeat: () => !live.left && options.mayRepeat?.(live) === true,
			...(model.affinity !== undefined && { affinity: model.affinity }),
		});
	const { clock, limits, openStreamBody } = options;
	const go = async (by: Approach): Promise<Response> => {
		way = by;
		if (by.first) {
			const refusal = await compactFirst(by, { live, clock, limits, abort, ask });
			return refusal ?? (await go(approach(live, target, options)));
		}
		const { losses, tiers, emulated } = by.exchange;
		live.losses = steered ? [...steered, ...losses] : losses;
		live.tiers = tiers;
		live.emulated = emulated;
		const response = await ask(by.exchange.message);
		if (!response.ok) live.refused();
		return response;
	};
	let response = await go(way);
	if (!response.ok && way.otherwise) {
		const text = await response.text().catch(() => "");
		const other = way.otherwise(response.status, text);
		response = other ? await go(other) : new Response(text, { status: response.status, headers: response.headers });
	}
	if (model.operation === "count_tokens" && noSuchRoute.has(response.status)) return estimateCount(live);
	if (way.gathering && response.ok) {
		const gathering = way.gathering();
		const { more } = way;
		const whole = await askBatch({ live, first: response, more, gathering, clock, limits, abort, ask });
		if (!(whole instanceof Response)) return await sendWhole({ live, openStreamBody }, whole);
		response = whole;
	}
	if (!response.ok) return await failure(live, way, response, hasNext);
	const source = new UpstreamBody(response, abort, (bytes) => live.hold(bytes));
	live.onStop = () => source.stop(clientGone);
	const type = response.headers.get("content-type") ?? "";
	return await answer({ live, exchange: way.exchange, source, type, clock, limits, openStreamBody });
};
