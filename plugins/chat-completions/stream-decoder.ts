/** An upstream's stream of chunks as neutral events. */
import {
	asList,
	asNumber,
	asRecord,
	asText,
	type NeutralEvent,
	parseJson,
	type StreamDecoder,
	type StreamEvent,
} from "#core";
import { decodeFinish } from "./finish.ts";
import { decodeToldError } from "./upstream-error.ts";
import { decodeUsage } from "./usage.ts";

class Decoder implements StreamDecoder {
	private started = false;
	private open = false;
	private finished = false;
	private done = false;

	push({ data }: StreamEvent): readonly NeutralEvent[] {
		if (data.trim() === "[DONE]") {
			this.done = true;
			return [];
		}
		const chunk = asRecord(parseJson(data));
		if (chunk["error"]) return [{ type: "error", error: decodeToldError(chunk) }];
		const events: NeutralEvent[] = [];
		if (!this.started) {
			this.started = true;
			const id = asText(chunk["id"]) ?? "";
			events.push({
				type: "start",
				id,
				model: asText(chunk["model"]) ?? "",
				createdAt: asNumber(chunk["created"]) ?? 0,
			});
		}
		for (const choice of asList(chunk["choices"])) this.choice(asRecord(choice), events);
		const usage = decodeUsage(chunk["usage"]);
		if (usage !== undefined) events.push({ type: "usage", usage });
		return events;
	}

	private choice(choice: Readonly<Record<string, unknown>>, events: NeutralEvent[]): void {
		const text = asText(asRecord(choice["delta"])["content"]);
		if (text !== undefined && text !== "") {
			if (!this.open) events.push({ type: "open", block: 0, candidate: 0, shell: { type: "text", text: "" } });
			this.open = true;
			events.push({ type: "delta", block: 0, delta: { type: "text", text } });
		}
		const reason = asText(choice["finish_reason"]);
		if (reason === undefined || this.finished) return;
		this.finished = true;
		if (this.open) events.push({ type: "close", block: 0 });
		events.push({ type: "finish", candidate: 0, finish: decodeFinish(reason, false) });
	}

	end(): readonly NeutralEvent[] {
		return [{ type: "end", clean: this.done || this.finished }];
	}
}

/** Decodes one stream. */
export const streamDecoder = (): StreamDecoder => new Decoder();
