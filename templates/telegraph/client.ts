/** The side that answers clients: `POST /telegraph`. */
import {
	asCount,
	asList,
	asText,
	type ClientSide,
	type Denial,
	type DenialKind,
	definedOnly,
	deny,
	Fault,
	type ModelRequest,
	type NeutralEvent,
	type NeutralRequest,
	readArguments,
	type StreamEncoder,
	type ToolCallBlock,
	type Usage,
} from "#core";
import { errandOf, event, messageOf, protocolName, stopOf, toolOf, wordsOf } from "./wire.ts";

const wrong = (parameter: string, message: string): Fault => new Fault(deny("invalid_request", message, { parameter }));

/** The model: a station is a name. */
const stationOf = ({ body }: ModelRequest): string => {
	const station = asText(body.value["station"]);
	if (!station) throw wrong("station", "`station` must name a model.");
	return station;
};

const statuses: Partial<Record<DenialKind, number>> = {
	authentication: 401,
	permission: 403,
	model_not_found: 404,
	quota_exhausted: 402,
	rate_limited: 429,
	upstream: 502,
	overloaded: 503,
	upstream_timeout: 504,
	internal: 500,
};

const faultOf = ({ kind, message, code }: Denial) => ({ fault: { kind: code ?? kind, text: message } });

class Encoder implements StreamEncoder {
	private readonly calls = new Map<number, { call: ToolCallBlock; text: string }>();
	private usage: Usage | undefined;
	private stop = "end";

	push(given: NeutralEvent): string {
		switch (given.type) {
			case "open":
				if (given.shell.type === "tool_call") this.calls.set(given.block, { call: given.shell, text: "" });
				return "";
			case "delta":
				return this.delta(given);
			case "close":
				return this.close(given.block);
			case "usage":
				this.usage = given.usage;
				return "";
			case "finish":
				this.stop = stopOf(given.finish);
				return "";
			case "error":
				return event(faultOf(given.error));
			case "end":
				return given.clean ? event(definedOnly({ stop: this.stop, words: this.usage && wordsOf(this.usage) })) : "";
			default:
				return "";
		}
	}

	/** Only what is said and asked for can be told; thinking and the like stay behind. */
	private delta({ block, delta }: Extract<NeutralEvent, { type: "delta" }>): string {
		if (delta.type === "text" || delta.type === "refusal") return event({ text: delta.text });
		const open = this.calls.get(block);
		if (open && delta.type === "arguments") open.text += delta.text;
		return "";
	}

	private close(block: number): string {
		const open = this.calls.get(block);
		return open ? event({ errand: errandOf({ ...open.call, arguments: readArguments(open.text, "function") }) }) : "";
	}
}

export const client: ClientSide = {
	paths: ["/telegraph"],
	read(request) {
		const { tape, most } = request.body.value;
		if (!Array.isArray(request.body.value["lines"])) throw wrong("lines", "`lines` must be a list of what was said.");
		return {
			operation: "generate",
			name: stationOf(request),
			stream: tape === true,
			candidates: 1,
			...definedOnly({ maxOutputTokens: asCount(most) }),
		};
	},
	decodeRequest({ body, call }): NeutralRequest {
		const { lines, errands, must } = body.value;
		return {
			protocol: protocolName,
			model: call.name,
			stream: call.stream,
			messages: asList(lines).flatMap((line, index) => {
				const message = messageOf(line);
				if (!message) throw wrong(`lines[${index}].from`, "A line is from `rules`, `caller`, `station` or `errand`.");
				return [message];
			}),
			...(Array.isArray(errands) && { tools: errands.map(toolOf) }),
			...(must === true && { toolChoice: { mode: "required" } }),
			sampling: {},
			...definedOnly({ maxOutputTokens: call.maxOutputTokens }),
			includeUsage: true,
			raw: body.value,
		};
	},
	encodeResponse({ candidates, usage, model }) {
		const [candidate] = candidates;
		const blocks = candidate?.blocks ?? [];
		const text = blocks.map((block) => (block.type === "text" || block.type === "refusal" ? block.text : "")).join("");
		const errands = blocks.flatMap((block) => (block.type === "tool_call" ? [errandOf(block)] : []));
		const stop = candidate ? stopOf(candidate.finish) : "refused";
		return { body: definedOnly({ station: model, text, errands, stop, words: usage && wordsOf(usage) }) };
	},
	streamEncoder: () => new Encoder(),
	renderDenial: (denial) => ({ status: statuses[denial.kind] ?? 400, headers: {}, body: faultOf(denial) }),
	renderStreamDenial: (denial) => event(faultOf(denial)),
	streamType: () => "text/event-stream",
	keepAlive: ": tick\n\n",
};
