/** Puts the asked model's name back in answers that pass through under an alias; everything else stays as it came. */
import {
	asRecord,
	editJsonBody,
	eventText,
	isRecord,
	type ModelAsk,
	type PassthroughChanges,
	parseJson,
	readJsonBody,
	type StreamEditor,
	type StreamEvent,
} from "#core";

/** Answers are the upstream's: they are not held to the limits of requests. */
const noLimits = { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY, repeats: true };

const decoder = new TextDecoder();

const edited = (text: string, name: string): string => {
	const body = editJsonBody(readJsonBody(new TextEncoder().encode(text), noLimits), { model: name });
	return typeof body === "string" ? body : decoder.decode(body);
};

/** A whole answer with the asked name; one without a model stays as it is. */
export const restore = (text: string, { call }: ModelAsk, _changes: PassthroughChanges, body: unknown): string => {
	if (!isRecord(body) || typeof body["model"] !== "string") return text;
	try {
		return edited(text, call.name);
	} catch {
		// Text that parses and still cannot be spliced (a member named twice) is written anew.
		return JSON.stringify({ ...body, model: call.name });
	}
};

/** The model is named once, at the start of the stream. */
const renamed = (data: string, name: string): string => {
	const message = asRecord(asRecord(parseJson(data))["message"]);
	if (typeof message["model"] !== "string") return data;
	return data.replace(/("model"\s*:\s*)"(?:[^"\\]|\\.)*"/, (_whole, key: string) => key + JSON.stringify(name));
};

class Editor implements StreamEditor {
	private readonly name: string;

	constructor(name: string) {
		this.name = name;
	}

	event({ name, data }: StreamEvent): string {
		const isStart = name === undefined ? data.includes('"message_start"') : name === "message_start";
		return eventText(isStart ? renamed(data, this.name) : data, name);
	}

	end(): string {
		return "";
	}
}

/** Absent when the stream may pass as it is. */
export const editor = ({ call }: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined =>
	changes.model === call.name ? undefined : new Editor(call.name);
