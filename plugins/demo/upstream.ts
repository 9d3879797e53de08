/** An upstream inside Portico. It answers in whatever protocol it is asked, by that protocol's own codec; endpoints by its own. */
import {
	type Clock,
	type Delta,
	type DenialKind,
	deny,
	estimateTokens,
	explode,
	Fault,
	isFault,
	type ModelAsk,
	type NeutralEvent,
	type NeutralRequest,
	normalizeRequest,
	type Protocol,
	readJsonBody,
	renderOwnDenial,
	type SendOptions,
	type Upstream,
	type UpstreamMessage,
} from "#core";
import { answer, lastWords, wordsOf } from "./answer.ts";
import { answerEndpoint, demoEndpoints } from "./endpoints.ts";

interface DemoOptions {
	readonly protocols: () => readonly Protocol[];
	readonly clock: Clock;
	/** Milliseconds between two words of a stream. */
	readonly wordMs: number;
}

const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
	new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** Growth that is told piece by piece is told word by word; everything else as it is. */
const slowly = (event: NeutralEvent): readonly NeutralEvent[] => {
	if (event.type !== "delta" || !("text" in event.delta) || event.delta.text === "") return [event];
	const { block, delta } = event;
	const { text } = delta;
	const words = wordsOf(text);
	if (words.join("") !== text) return [event];
	return words.map((word) => ({ type: "delta", block, delta: { ...delta, text: word } as Delta }));
};

/** `/fail 429` as the last words of the user asks for that failure. */
const failureAsked = (request: NeutralRequest): number | undefined => {
	const status = /^\/fail (\d{3})$/.exec(lastWords(request))?.[1];
	return status === undefined ? undefined : Number(status);
};

const kinds: Readonly<Record<number, DenialKind>> = {
	401: "authentication",
	403: "permission",
	404: "not_found",
	408: "client_timeout",
	413: "too_large",
	429: "rate_limited",
	500: "internal",
	503: "overloaded",
	504: "upstream_timeout",
	529: "overloaded",
};

const kindOf = (status: number): DenialKind => kinds[status] ?? (status < 500 ? "invalid_request" : "upstream");

export const createDemo = ({ protocols, clock, wordMs }: DemoOptions): Upstream => {
	const askOf = (protocol: Protocol, message: UpstreamMessage): ModelAsk => {
		const url = new URL(`http://demo.localhost${message.path}`);
		const bytes = typeof message.body === "string" ? new TextEncoder().encode(message.body) : message.body;
		const params = { "*": url.pathname.split("/models/")[1] ?? "" };
		const request = { url, params, headers: new Headers(message.headers), body: readJsonBody(bytes) };
		return { ...request, protocol, call: protocol.client.read(request) };
	};

	const streamed = (
		protocol: Protocol,
		ask: ModelAsk,
		request: NeutralRequest,
		events: readonly NeutralEvent[],
		signal: AbortSignal,
	): Response => {
		const encoder = protocol.client.streamEncoder(request);
		const bytes = new TextEncoder();
		const queue = events.flatMap(slowly);
		const pause = (): Promise<void> => new Promise((resolve) => clock.after(wordMs, resolve));
		const nextText = (): string => {
			let text = "";
			for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
				text = encoder.push(event);
				if (text !== "") break;
			}
			return text;
		};
		const body = new ReadableStream<Uint8Array>({
			async pull(controller) {
				const text = nextText();
				if (text !== "" && wordMs > 0) await pause();
				if (signal.aborted) return controller.error(new Error("the call was ended"));
				if (text !== "") controller.enqueue(bytes.encode(text));
				if (queue.length === 0) controller.close();
			},
		});
		return new Response(body, { headers: { "content-type": protocol.client.streamType(ask) } });
	};

	const generate = (protocol: Protocol, ask: ModelAsk, options: SendOptions): Response => {
		const { request } = normalizeRequest(protocol.client.decodeRequest(ask));
		if (request.compactAbove !== undefined)
			throw new Fault(deny("unsupported", "The demo model does not know context_management; Portico does it."));
		const failure = failureAsked(request);
		if (failure !== undefined)
			throw new Fault(deny(kindOf(failure), `The demo model fails with ${failure} because it was asked to.`));
		const whole = answer(request, ask.call.name, `demo-${options.callId}`, Math.floor(clock.now() / 1000));
		if (ask.call.stream) return streamed(protocol, ask, request, explode(whole), options.abort.signal);
		const { body, headers } = protocol.client.encodeResponse(whole, request);
		return json(body, 200, headers);
	};

	const respond = (protocol: Protocol, ask: ModelAsk, options: SendOptions): Response => {
		if (ask.call.operation === "generate") return generate(protocol, ask, options);
		if (ask.call.operation === "count_tokens" && protocol.client.encodeTokenCount)
			return json(protocol.client.encodeTokenCount(estimateTokens(protocol.client.decodeRequest(ask))));
		// It has no way of its own to compact: Portico asks it for a summary then.
		const kind = ask.call.operation === "compact" ? "not_found" : "unsupported";
		throw new Fault(deny(kind, "The demo model cannot do this."));
	};

	/** A refusal is told as a provider tells it. */
	const atEndpoint = (name: string, message: UpstreamMessage, { callId, abort }: SendOptions): Response => {
		try {
			return answerEndpoint(name, message, { clock, wordMs, callId, signal: abort.signal });
		} catch (error) {
			if (!isFault(error)) throw error;
			const { status, headers, body: refusal } = renderOwnDenial(error.denial);
			return json(refusal, status, headers);
		}
	};

	return {
		name: "demo",
		endpoints: demoEndpoints,
		get protocols() {
			return protocols().map(({ name }) => name);
		},
		async send(message, options) {
			if (options.endpoint !== undefined) return atEndpoint(options.endpoint, message, options);
			const protocol = protocols().find(({ name }) => name === options.protocol);
			if (!protocol) throw new Fault(deny("upstream", "The demo model does not speak this protocol."));
			try {
				return respond(protocol, askOf(protocol, message), options);
			} catch (error) {
				if (!(error instanceof Fault)) throw error;
				const { status, headers, body } = protocol.client.renderDenial(error.denial, options.callId);
				return json(body, status, headers);
			}
		},
	};
};
