/** Puts back what passthrough changed: the model's name under an alias, and the form of the stream. */
import {
	isRecord,
	type ModelAsk,
	type PassthroughChanges,
	parseJson,
	type StreamEditor,
	type StreamEvent,
} from "#core";
import { maskedText } from "../field-mask.ts";
import { beginFraming, type Framing, wantsEvents } from "../framing.ts";

const member = /("modelVersion"\s*:\s*)"(?:[^"\\]|\\.)*"/g;

/** The text with its `modelVersion` replaced; other bytes stay. A second one, deep in arguments, makes the text be written anew. */
const renamed = (text: string, name: string): string => {
	const found = text.match(member)?.length ?? 0;
	if (found === 0) return text;
	if (found === 1) return text.replace(member, (_, key: string) => key + JSON.stringify(name));
	const value = parseJson(text);
	if (!isRecord(value) || value["modelVersion"] === undefined) return text;
	return JSON.stringify({ ...value, modelVersion: name });
};

/** A whole answer with the asked model's name put back, and the fields that the client wants. */
export const restore = (text: string, ask: ModelAsk, { model }: PassthroughChanges): string =>
	maskedText(model === ask.call.name ? text : renamed(text, ask.call.name), ask.call);

class Editor implements StreamEditor {
	private readonly framing: Framing;
	private readonly name: string | undefined;

	/** `name` is set under an alias. */
	constructor(framing: Framing, name: string | undefined) {
		this.framing = framing;
		this.name = name;
	}

	event({ data }: StreamEvent): string {
		// The last is no answer, but what OpenAI's streams end with, and some proxies end all of theirs so.
		if (data === "" || data === "[DONE]") return "";
		const json = this.name === undefined ? data : renamed(data, this.name);
		return this.framing.element(json);
	}

	end(): string {
		return this.framing.end();
	}
}

/** Needed under an alias, for a choice of fields, and for a client that wants an array of what the upstream sends as events. */
export const editor = (ask: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined => {
	const framing = beginFraming(ask);
	const alias = changes.model === ask.call.name ? undefined : ask.call.name;
	return alias === undefined && wantsEvents(ask.url) && !ask.call.selective ? undefined : new Editor(framing, alias);
};
