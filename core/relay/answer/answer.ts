/** From an upstream's good answer to the client's response, whichever of the two forms was asked for and whichever came. */
import type { Clock } from "../../contract/clock.ts";
import { Fault } from "../../contract/fault.ts";
import { silent } from "../../errors/no-answer.ts";
import { withoutKeys } from "../../errors/redact.ts";
import { EventFrames, type Frames } from "../../wire/frames.ts";
import { isJsonLines, JsonLineFrames } from "../../wire/json-lines.ts";
import { isPending, type MaybeLater } from "../../wire/pending.ts";
import type { OpenStreamBody } from "../../wire/stream-body.ts";
import { type Exchange, progressOf, type WholeAnswer } from "../call/exchange.ts";
import type { LiveCall } from "../call/live-call.ts";
import { plainBytes } from "../exchanges/endpoint-stream.ts";
import { notAnAnswer } from "../exchanges/not-an-answer.ts";
import { bodyOf } from "./answer-body.ts";
import { keep, keeps } from "./kept-answer.ts";
import { CallStream } from "./stream.ts";
import { StreamMemory } from "./stream-memory.ts";
import { readOpening } from "./stream-opening.ts";
import type { StreamLimits } from "./stream-watch.ts";
import type { UpstreamBody } from "./upstream-body.ts";

export interface AnswerOptions {
	readonly live: LiveCall;
	readonly exchange: Exchange;
	readonly source: UpstreamBody;
	/** The media type of the upstream's answer. */
	readonly type: string;
	readonly clock: Clock;
	readonly limits: StreamLimits;
	readonly openStreamBody: OpenStreamBody;
}

const isEvents = (type: string): boolean => type.includes("event-stream");

type Answered = Pick<AnswerOptions, "live" | "type" | "exchange">;

/** Conversations may come as lines of JSON too. */
const isStream = ({ live, type }: Answered): boolean =>
	isEvents(type) || (live.routed.surface === "model" && isJsonLines(type));

const framesOf = (type: string, { answerBytes }: StreamLimits): Frames =>
	isJsonLines(type) ? new JsonLineFrames(answerBytes) : new EventFrames(answerBytes);

const streamType = (type: string, { streamsAs }: Exchange): string => (isEvents(type) ? streamsAs : undefined) ?? type;

/** Names as a header may hold them. */
const headerText = (text: string): string =>
	text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));

/** For a token that asked for it. The cost of a stream is not known when its headers go. */
const explained = ({ target, attempts, charged }: LiveCall): Record<string, string> | undefined => {
	if (!target) return undefined;
	return {
		"x-portico-target": headerText(`${target.upstream.name}:${withoutKeys(target.model)}`),
		"x-portico-attempts": String(attempts.count),
		...(charged !== undefined && { "x-portico-cost": (charged / 1e6).toFixed(6) }),
	};
};

/** What an answer's headers tell of how it came about. */
const porticoHeaders = (live: LiveCall): Record<string, string> | undefined => {
	const { losses, emulated } = live;
	const more = live.permits.explains ? explained(live) : undefined;
	if (losses.length === 0 && emulated === undefined) return more;
	const paths = new Set(losses.map(({ path }) => path.replace(/[^\w.[\]-]/g, "_")));
	return {
		...(paths.size > 0 && { "x-portico-dropped": [...paths].join(",").slice(0, 2000) }),
		...(emulated !== undefined && { "x-portico-emulated": emulated }),
		...more,
	};
};

const streamHeaders = ({ live, type, exchange }: Answered): Record<string, string> => {
	const { routed } = live;
	return {
		"content-type":
			routed.surface === "model" ? routed.ask.protocol.client.streamType(routed.ask) : streamType(type, exchange),
		"cache-control": "no-cache, no-transform",
		"x-accel-buffering": "no",
		...live.permits.headers,
		...porticoHeaders(live),
	};
};

type Sending = Pick<AnswerOptions, "live" | "openStreamBody">;

/** At once, unless the answer has to be kept first. */
export const sendWhole = (options: Sending, whole: WholeAnswer): MaybeLater<Response> => {
	const { live } = options;
	live.saw(whole.seen);
	const { error } = whole.seen;
	if (error) throw new Fault(error);
	live.firstByte();
	if (whole.losses) live.losses = [...live.losses, ...whole.losses];
	const keeping = whole.answer !== undefined && keeps(live) ? keep(live, whole.answer) : undefined;
	return keeping ? sendOnceKept(keeping, options, whole) : wholeResponse(options, whole);
};

const sendOnceKept = async (keeping: Promise<void>, options: Sending, whole: WholeAnswer): Promise<Response> => {
	await keeping;
	return wholeResponse(options, whole);
};

const wholeResponse = ({ live, openStreamBody }: Sending, whole: WholeAnswer): Response => {
	live.end(live.left ? "client_left" : "completed", 200);
	const headers = { "content-type": "application/json" };
	Object.assign(headers, live.permits.headers, porticoHeaders(live), whole.headers);
	return new Response(bodyOf(whole.body, live.routed.held, openStreamBody), { headers });
};

/** A stream, read to its end as the whole answer that was asked for. */
export const foldStream = async ({
	live,
	exchange,
	source,
	type,
	limits,
}: Pick<AnswerOptions, "live" | "exchange" | "source" | "type" | "limits">): Promise<WholeAnswer> => {
	const frames = framesOf(type, limits);
	const folded = exchange.streamAsWhole();
	live.observe(folded);
	let size = 0;
	for (let chunk = await source.next(); chunk !== undefined; chunk = await source.next()) {
		size += chunk.length;
		if (size > limits.answerBytes) throw source.tooLarge();
		source.holdOrStop(chunk.length);
		folded.push(frames.feed(chunk));
	}
	return await folded.end(frames.end());
};

const explodeWhole = async (options: AnswerOptions): Promise<Response> => {
	const { live, exchange, source, limits, openStreamBody } = options;
	const bytes = await source.rest(limits.answerBytes);
	const { text, seen, answer: kept } = await exchange.wholeAsStream(bytes);
	live.saw(seen);
	if (seen.error) {
		live.attempts.saidWithin(bytes);
		throw new Fault(seen.error);
	}
	live.firstByte();
	await keep(live, kept);
	live.end(live.left ? "client_left" : "completed", 200);
	return new Response(bodyOf(text, live.routed.held, openStreamBody), { headers: streamHeaders(options) });
};

const openStream = async (options: AnswerOptions): Promise<Response> => {
	const { live, exchange, source, clock, limits, openStreamBody } = options;
	const { routed } = live;
	const comesAsEvents = isStream(options);
	const frames = comesAsEvents ? framesOf(options.type, limits) : plainBytes;
	const pass = exchange.stream(comesAsEvents, options.type);
	live.observe(pass);
	const memory = new StreamMemory(live, source);
	const { head, complete, pending } = await readOpening({ live, source, clock, limits, frames, pass, memory });
	if (complete && head.length === 0) throw notAnAnswer("a stream of events");
	// It may be open with nothing in it: a client is not left without any answer for longer.
	if (source.chunks > 0) live.firstByte();
	else pending?.then((chunk) => chunk && live.firstByte()).catch(() => undefined);
	if (progressOf(pass).pieces > 0) live.firstContent();
	const stream = new CallStream({
		live,
		source: pending === undefined ? source : source.resume(pending),
		frames,
		memory,
		pass,
		head,
		complete,
		keepAlive: routed.surface === "model" ? routed.ask.protocol.client.keepAlive : undefined,
		clock,
		limits,
		openStreamBody,
	});
	live.stream = stream;
	if (live.left) stream.left();
	return new Response(stream.body, { headers: streamHeaders(options) });
};

/** What an endpoint answers that is neither events nor JSON, nor the page of a proxy: sound, plain text. */
const isOther = ({ live, type }: Answered): boolean =>
	live.routed.surface === "endpoint" && !/event-stream|json|html/.test(type);

/** What another dialect answers has to be read before anything of it goes on. */
const goesOnAsItComes = (options: Answered): boolean =>
	isStream(options)
		? options.live.routed.model.stream || options.exchange.streamsAs !== undefined
		: isOther(options) && options.exchange.passes !== false;

/** Throws `Fault` while nothing has been sent to the client. */
export const answer = (options: AnswerOptions): Promise<Response> =>
	goesOnAsItComes(options) ? openStream(options) : answerWhole(options);

const answerWhole = async (options: AnswerOptions): Promise<Response> => {
	const { live, exchange, source, clock, limits, type } = options;
	const { stream } = live.routed.model;
	if (type.includes("html")) {
		live.refused();
		throw notAnAnswer(stream ? "a stream of events" : "JSON");
	}
	source.watch(clock, limits.idleMs, silent);
	try {
		if (isStream(options)) return await sendWhole(options, await foldStream(options));
		if (stream && live.routed.surface === "model") return await explodeWhole(options);
		const bytes = await source.rest(limits.answerBytes);
		const given = isOther(options) ? exchange.whole(bytes, type) : exchange.whole(bytes);
		const whole = isPending(given) ? await given : given;
		if (whole.seen.error) live.attempts.saidWithin(bytes);
		const sent = sendWhole(options, whole);
		return sent instanceof Response ? sent : await sent;
	} finally {
		source.unwatch();
	}
};
