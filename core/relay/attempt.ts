/** One try at one target: sends, and gives a response once the first byte of a good answer is there. */
import type { Clock } from "../clock.ts";
import { type Denial, deny, Fault } from "../fault.ts";
import { renderOwnDenial } from "../http/errors.ts";
import type { Exchange, StreamPass, WholeAnswer } from "./exchange.ts";
import { createFrames, type Frames } from "./frames.ts";
import type { LiveCall } from "./live-call.ts";
import { createPassthrough } from "./passthrough.ts";
import type { Protocol } from "./protocol.ts";
import type { Target } from "./router.ts";
import { scrub } from "./scrub.ts";
import { Source } from "./source.ts";
import { CallStream, type StreamLimits, throwEarlyError } from "./stream.ts";
import { createTranslation, notAnAnswer } from "./translation.ts";

export interface AttemptOptions {
	readonly protocols: ReadonlyMap<string, Protocol>;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly strict: boolean;
	/** Told of every stream that begins, so that a stop can reach it. */
	opened(stream: CallStream, live: LiveCall): void;
}

/** How long the answer is held back while the upstream has begun but said nothing: an early error can still be a status. */
const graceMs = 50;

/** Statuses that tell the client something about its own request; every other failure is between Portico and the upstream. */
const clientsOwn = new Set([400, 404, 405, 409, 410, 411, 413, 415, 422]);

/** A permit's bound speaks of all targets; each is asked for no more than it gives. */
const limitFor = ({ permits }: LiveCall, { capabilities }: Target): number | undefined =>
	permits.maxOutputTokens === undefined
		? undefined
		: Math.min(permits.maxOutputTokens, capabilities.maxOutput ?? Number.POSITIVE_INFINITY);

const exchangeFor = (live: LiveCall, target: Target, options: AttemptOptions): Exchange => {
	const { ask } = live.routed;
	const { protocols: spoken } = target.upstream;
	const limit = limitFor(live, target);
	const upstream = spoken.includes(ask.protocol.name) ? ask.protocol : options.protocols.get(spoken[0] ?? "");
	if (!upstream)
		throw new Fault(deny("upstream", `The model's upstream speaks "${spoken[0]}", which no plugin here knows.`));
	const translated = (): Exchange => createTranslation({ ask, target, upstream, limit, strict: options.strict });
	if (upstream === ask.protocol) return createPassthrough(ask, target, limit, translated);
	if (ask.call.operation === "embed")
		throw new Fault(
			deny("unsupported", "This model's upstream has no embeddings in this protocol; ask a model that has."),
		);
	return translated();
};

/** A failed answer: passed on when it speaks of the client's own request in its own protocol, otherwise a `Fault`. */
const failure = async (live: LiveCall, target: Target, exchange: Exchange, response: Response): Promise<Response> => {
	const text = await response.text().catch(() => "");
	const denial = exchange.error(response.status, response.headers, text);
	const sameProtocol = target.upstream.protocols.includes(live.routed.ask.protocol.name);
	const isJson = response.headers.get("content-type")?.includes("json") === true;
	if (!sameProtocol || !clientsOwn.has(response.status) || !isJson) throw new Fault(denial);
	live.end("upstream_failed", response.status, undefined, denial);
	return new Response(scrub(text), {
		status: response.status,
		headers: { "content-type": "application/json", "x-should-retry": "false" },
	});
};

/** What a reader of the answer is told when nobody is left to read it. */
export const clientGone: Denial = { kind: "internal", message: "The client left." };

const droppedHeader = (live: LiveCall): Record<string, string> =>
	live.losses.length === 0
		? {}
		: {
				"x-portico-dropped": [...new Set(live.losses.map(({ path }) => path.replace(/[^\w.[\]-]/g, "_")))]
					.join(",")
					.slice(0, 2000),
			};

const wholeResponse = (live: LiveCall, answer: WholeAnswer): Response => {
	const { error } = answer.seen;
	if (error) throw new Fault(error);
	live.end("completed", 200, answer.seen);
	return new Response(answer.body as BodyInit, {
		headers: { "content-type": "application/json", ...live.permits.headers, ...droppedHeader(live), ...answer.headers },
	});
};

const streamHeaders = (live: LiveCall): Record<string, string> => {
	const { ask } = live.routed;
	return {
		"content-type": ask.protocol.client.streamType(ask),
		"cache-control": "no-cache, no-transform",
		"x-accel-buffering": "no",
		...live.permits.headers,
		...droppedHeader(live),
	};
};

/** What was read of a stream before its answer could begin. */
interface Opening {
	readonly head: (string | Uint8Array)[];
	/** The bytes ended already. */
	complete: boolean;
	/** A read that is still waiting. */
	pending: Promise<Uint8Array | undefined> | undefined;
}

/** Reads on until the answer has begun, has failed, or has been silent for a moment after its first event. */
const readOpening = async (source: Source, frames: Frames, pass: StreamPass, clock: Clock): Promise<Opening> => {
	const opening: Opening = { head: [], complete: false, pending: undefined };
	let patience: Promise<"patience"> | undefined;
	for (;;) {
		opening.pending ??= source.next();
		const next = await (patience ? Promise.race([opening.pending, patience]) : opening.pending);
		if (next === "patience") return opening;
		opening.pending = undefined;
		if (next === undefined) {
			opening.complete = true;
			return opening;
		}
		const events = frames.feed(next);
		const piece = pass.push(events, next);
		if (piece !== undefined) opening.head.push(piece);
		throwEarlyError(pass);
		const seen = pass.seen();
		if (seen.pieces > 0 || seen.finished) return opening;
		if (events.length > 0) patience ??= new Promise((resolve) => clock.after(graceMs, () => resolve("patience")));
	}
};

const openStream = async (
	live: LiveCall,
	exchange: Exchange,
	source: Source,
	options: AttemptOptions,
): Promise<Response> => {
	const { clock, limits } = options;
	const { ask } = live.routed;
	const frames = createFrames();
	const pass = exchange.stream();
	const { head, complete, pending } = await readOpening(source, frames, pass, clock);
	if (complete && head.length === 0) throw notAnAnswer("a stream of events");
	live.firstByte();
	const { keepAlive } = ask.protocol.client;
	const rest = pending === undefined ? source : source.resume(pending);
	const stream = new CallStream({ live, source: rest, frames, pass, head, complete, keepAlive, clock, limits });
	options.opened(stream, live);
	return new Response(stream.body, { headers: streamHeaders(live) });
};

const foldStream = async (live: LiveCall, exchange: Exchange, source: Source): Promise<Response> => {
	const frames = createFrames();
	const folded = exchange.streamAsWhole();
	for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next())
		folded.push(frames.feed(chunk));
	return wholeResponse(live, folded.end(frames.end()));
};

const explodeWhole = async (live: LiveCall, exchange: Exchange, source: Source): Promise<Response> => {
	const { text, seen } = exchange.wholeAsStream(await source.rest());
	live.firstByte();
	live.end("completed", 200, seen);
	return new Response(text, { headers: streamHeaders(live) });
};

/** Tries one target. Throws `Fault` while nothing has been sent to the client, so that another may be tried. */
export const attempt = async (live: LiveCall, target: Target, options: AttemptOptions): Promise<Response> => {
	const exchange = exchangeFor(live, target, options);
	live.losses = exchange.losses;
	const { stream } = live.routed.model;
	const abort = new AbortController();
	const leave = (): void => abort.abort();
	live.abort.signal.addEventListener("abort", leave, { once: true });
	const { affinity } = live.routed.model;
	live.attempts++;
	live.target = target;
	const response = await target.upstream.send(exchange.message, {
		protocol: target.upstream.protocols.includes(live.routed.ask.protocol.name)
			? live.routed.ask.protocol.name
			: (target.upstream.protocols[0] ?? ""),
		signal: abort.signal,
		stream,
		callId: live.routed.id,
		...(affinity !== undefined && { affinity }),
	});
	if (!response.ok) return await failure(live, target, exchange, response);
	const source = new Source(response, abort);
	live.abort.signal.addEventListener("abort", () => source.stop(clientGone), { once: true });
	const type = response.headers.get("content-type") ?? "";
	const isStream = type.includes("event-stream");
	if (isStream)
		return stream ? await openStream(live, exchange, source, options) : await foldStream(live, exchange, source);
	if (type.includes("html")) throw notAnAnswer(stream ? "a stream of events" : "JSON");
	if (stream) return await explodeWhole(live, exchange, source);
	const whole = exchange.whole(await source.rest());
	live.firstByte();
	return wholeResponse(live, whole);
};

/** A denial in the protocol's own shape is rendered by the gate; this is the status its row gets. */
export const statusOf = (denial: Denial): number => renderOwnDenial(denial, "").status;
