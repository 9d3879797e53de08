/** What speaks telegraph on both sides: the client's own bytes, and an answer that is only watched. */
import {
	asRecord,
	asText,
	definedOnly,
	editJsonBody,
	type ModelAsk,
	type Observation,
	type Passthrough,
	parseJson,
	type StreamObserver,
	type Usage,
} from "#core";
import { event, usageOf, writtenBytes } from "./wire.ts";

class Observer implements StreamObserver {
	private usage: Usage | undefined;
	private finished = false;
	private fault: string | undefined;
	private pieces = 0;
	private bytes = 0;

	event({ data }: { readonly data: string }): void {
		const told = asRecord(parseJson(data));
		if (asText(told["text"]) || told["errand"] !== undefined) this.pieces++;
		this.bytes += writtenBytes(told);
		if ("stop" in told) {
			this.finished = true;
			this.usage = usageOf(told["words"]);
		}
		if ("fault" in told) this.fault = asText(asRecord(told["fault"])["text"]) ?? "The upstream failed.";
	}

	result(): Observation {
		const { usage, finished, pieces, fault } = this;
		const error = fault === undefined ? undefined : ({ kind: "upstream", message: fault } as const);
		return { finished, pieces, contentBytes: this.bytes, ...definedOnly({ usage, error }) };
	}

	cut(): string {
		return event({ stop: "most" });
	}
}

/** The answer with the name that was asked for. */
const renamed = (text: string, { call }: ModelAsk): string => {
	const told = asRecord(parseJson(text));
	return "station" in told ? JSON.stringify({ ...told, station: call.name }) : text;
};

export const passthrough: Passthrough = {
	request({ body }, { model, maxOutputTokens }) {
		return {
			path: "/telegraph",
			headers: { "content-type": "application/json" },
			body: editJsonBody(body, {
				...(body.value["station"] !== model && { station: model }),
				...(maxOutputTokens !== undefined && { most: maxOutputTokens }),
			}),
		};
	},
	observe(body) {
		const told = asRecord(body);
		const usage = usageOf(told["words"]);
		return { finished: true, pieces: 1, contentBytes: writtenBytes(told), ...definedOnly({ usage }) };
	},
	restore: renamed,
	observer: () => new Observer(),
	editor: () => undefined,
};
