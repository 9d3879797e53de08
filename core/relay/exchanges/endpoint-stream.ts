/** A stream of an endpoint on its way to a client of the same dialect: events, or bytes that are none (sound). */
import type { Dialect, EndpointAsk, EndpointObserver, EndpointRecast } from "../../contract/endpoint.ts";
import { type Denial, Fault } from "../../contract/fault.ts";
import type { StreamEvent } from "../../contract/upstream-side.ts";
import type { Usage } from "../../neutral/response.ts";
import { WholeEvents } from "../../wire/whole-events.ts";
import type { StreamPass } from "../call/exchange.ts";
import { failureOf } from "./endpoint-failure.ts";
import { unannouncedEnd } from "./translation.ts";

/** Frames for answers that are no events: their bytes go on as they come. */
export const plainBytes = { feed: () => [], end: () => [] };

/** Shows events to those who count; one that tells a failure ends the stream. */
class Events {
	failure: Denial | undefined;
	private readonly observer: EndpointObserver | undefined;

	constructor(observer: EndpointObserver | undefined) {
		this.observer = observer;
	}

	/** Throws `Fault`: in Portico's words it holds no secret of the upstream's. */
	see(found: readonly StreamEvent[]): void {
		for (const event of found) {
			this.failure = failureOf(event);
			if (this.failure) throw new Fault(this.failure);
			this.observer?.event(event);
		}
	}
}

/** How the same dialect on both sides passes through. */
export const createPass = (dialect: Dialect, ask: EndpointAsk, model: string, isEvents: boolean): StreamPass => {
	const observer = isEvents ? dialect.observer?.(ask) : undefined;
	const editor = isEvents ? dialect.editor?.(ask, model) : undefined;
	const whole = isEvents ? new WholeEvents() : undefined;
	const events = new Events(observer);
	let pieces = 0;
	let contentBytes = 0;
	let partBytes = 0;
	let ended = false;
	// Of sound that has not ended nobody knows how much was made.
	const usage = (): Usage | undefined =>
		observer ? observer.usage : ended ? dialect.observe(undefined, ask, contentBytes) : undefined;
	return {
		push(found, chunk) {
			events.see(found);
			partBytes += chunk.length;
			// Part of an event says nothing yet: it may be a failure.
			if (found.length > 0 || !isEvents) {
				pieces++;
				contentBytes += partBytes;
				partBytes = 0;
			}
			if (editor) return found.map((event) => editor.event(event)).join("");
			return whole ? whole.take(chunk) : chunk;
		},
		end(found) {
			events.see(found);
			if (observer && !observer.finished) throw new Fault(unannouncedEnd);
			ended = true;
			if (editor) return found.map((event) => editor.event(event)).join("") + editor.end();
			return whole?.rest() ?? "";
		},
		seen() {
			const used = usage();
			const finished = observer ? observer.finished : ended;
			const { failure: error } = events;
			const seen = { pieces, contentBytes, finished, usageIsTotal: finished, ...(error && { error }) };
			return used ? { ...seen, usage: used } : seen;
		},
		answer: () => undefined,
		cut: () => "",
		fail(denial) {
			// Sound that breaks off must not look whole: the connection is cut.
			if (!isEvents) throw new Fault(denial);
			return `data: ${JSON.stringify({ error: { message: denial.message, type: denial.kind, code: denial.code ?? null } })}\n\n`;
		},
	};
};

/** Events that go on as the sound within them. */
export const createRecast = (dialect: Dialect, ask: EndpointAsk, { event }: EndpointRecast): StreamPass => {
	const observer = dialect.observer?.(ask);
	const events = new Events(observer);
	let pieces = 0;
	let contentBytes = 0;
	let finished = false;
	return {
		push(found) {
			events.see(found);
			const sound = Buffer.concat(found.flatMap((one) => event(one) ?? []));
			if (sound.length === 0) return undefined;
			pieces++;
			contentBytes += sound.length;
			return sound;
		},
		end(found) {
			events.see(found);
			// The last event may lack its end, and be the one that announces that of all; sound it cannot be.
			finished = observer?.finished ?? true;
			if (!finished) throw new Fault(unannouncedEnd);
			return "";
		},
		seen() {
			const usage = observer?.usage;
			const over = observer?.finished ?? finished;
			const { failure: error } = events;
			const seen = { pieces, contentBytes, finished: over, usageIsTotal: over, ...(error && { error }) };
			return usage ? { ...seen, usage } : seen;
		},
		answer: () => undefined,
		cut: () => "",
		fail(denial) {
			throw new Fault(denial);
		},
	};
};
