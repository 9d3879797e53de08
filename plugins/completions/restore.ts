/** Puts back into a stream what passthrough changed: the model's name, and usage that the client did not ask for. */
import { asList, eventText, isRecord, parseJson, type StreamEditor, type StreamEvent } from "#core";

export class StreamNames implements StreamEditor {
	private readonly asked: string;
	private readonly sent: string;
	private readonly strip: boolean;

	/** `strip`: usage was asked for on nobody's behalf but Portico's. */
	constructor(asked: string, sent: string, strip: boolean) {
		this.asked = asked;
		this.sent = sent;
		this.strip = strip;
	}

	event({ data }: StreamEvent): string {
		const text = this.edited(data);
		return text === undefined ? "" : eventText(text);
	}

	end(): string {
		return "";
	}

	private edited(data: string): string | undefined {
		const isRenamed = this.asked !== this.sent && data.includes('"model"');
		const hasUsage = this.strip && data.includes('"usage"');
		if (!isRenamed && !hasUsage) return data;
		const chunk = parseJson(data);
		if (!isRecord(chunk)) return data;
		const { usage, ...rest } = chunk;
		// The chunk that was sent for nothing else; clients look for a choice in each.
		if (this.strip && isRecord(usage) && asList(rest["choices"]).length === 0) return undefined;
		const model = rest["model"] === this.sent ? { model: this.asked } : {};
		return JSON.stringify(this.strip ? { ...rest, ...model } : { ...chunk, ...model });
	}
}
