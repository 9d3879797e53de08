/** Neutral events as OpenAI's `chat.completion.chunk`s. */
import type { NeutralEvent, NeutralRequest, StreamEncoder, Usage } from "#core";
import { renderStreamDenial } from "./errors.ts";
import { encodeFinish } from "./finish.ts";
import { encodeUsage } from "./usage.ts";

class Encoder implements StreamEncoder {
	private readonly request: NeutralRequest;
	private head = "";
	private usage: Usage | undefined;

	constructor(request: NeutralRequest) {
		this.request = request;
	}

	push(event: NeutralEvent): string {
		switch (event.type) {
			case "start":
				this.head = `data: {"id":${JSON.stringify(event.id)},"object":"chat.completion.chunk","created":${event.createdAt},"model":${JSON.stringify(this.request.model)},"choices":[`;
				return this.chunk(0, '{"role":"assistant","content":""}', null);
			case "delta":
				return event.delta.type === "text"
					? this.chunk(0, `{"content":${JSON.stringify(event.delta.text)}}`, null)
					: "";
			case "finish":
				return this.chunk(event.candidate, "{}", encodeFinish(event.finish));
			case "usage":
				this.usage = event.usage;
				return "";
			case "error":
				return renderStreamDenial(event.error);
			case "end":
				return event.clean ? this.end() : "";
			default:
				return "";
		}
	}

	private chunk(index: number, delta: string, finish: string | null): string {
		return `${this.head}{"index":${index},"delta":${delta},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]}\n\n`;
	}

	private end(): string {
		const asked = this.request.includeUsage === true && this.usage !== undefined;
		const usage =
			asked && this.usage !== undefined ? `${this.head}],"usage":${JSON.stringify(encodeUsage(this.usage))}}\n\n` : "";
		return `${usage}data: [DONE]\n\n`;
	}
}

/** Encodes one stream. */
export const streamEncoder = (request: NeutralRequest): StreamEncoder => new Encoder(request);
