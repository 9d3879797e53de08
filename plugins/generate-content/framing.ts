/**
 * The two forms of Gemini's streams: events (`?alt=sse`), or without it one JSON array that grows. Encoder, editor and
 * the rendering of a failure write into the same stream, so what has been written is kept by the request's body.
 */
import { eventText, type ModelAsk } from "#core";
import { maskedText } from "./field-mask.ts";

/** Writes the elements of one stream. */
export class Framing {
	private readonly array: boolean;
	private readonly request: object;
	private begun = false;
	private closed = false;

	/** `request`: its call, or its parsed body. */
	constructor(array: boolean, request: object) {
		this.array = array;
		this.request = request;
	}

	/** One response, given as JSON text, with the fields that the client wants. */
	element(response: string): string {
		const json = maskedText(response, this.request);
		if (!this.array) return eventText(json);
		const lead = this.begun ? ",\r\n" : "[";
		this.begun = true;
		return `${lead}${json}\n`;
	}

	/**
	 * What tells that the stream cannot go on. An array ends with the error as its last element. Among events it is an
	 * event, and then once more as a bare line: older official clients take no notice of the event, but fail on an end
	 * that is not one.
	 */
	failure(json: string): string {
		return this.array ? this.element(json) + this.end() : `data: ${json}\n\n${json}\n`;
	}

	/** What must follow the last element. */
	end(): string {
		if (!this.array || this.closed) return "";
		this.closed = true;
		return this.begun ? "]" : "[]";
	}
}

const framings = new WeakMap<object, Framing>();

/** True when the client wants events. */
export const wantsEvents = (url: URL): boolean =>
	(url.searchParams.get("alt") ?? url.searchParams.get("$alt")) === "sse";

/** A fresh stream for the request; an attempt that failed before anything was sent is forgotten. */
export const beginFraming = (ask: ModelAsk): Framing => {
	const framing = new Framing(ask.call.stream && !wantsEvents(ask.url), ask.call);
	framings.set(ask.body.value, framing);
	return framing;
};

/** The stream begun for the request, or a fresh one. */
export const framingOf = (ask: ModelAsk): Framing => framings.get(ask.body.value) ?? beginFraming(ask);

/** The stream begun for the request whose parsed body this is; events when none was. */
export const framingOfBody = (body: object): Framing => framings.get(body) ?? new Framing(false, body);
