/** The side that asks upstreams: `POST /telegraph` after their address, the key as a bearer. */
import {
	asRecord,
	asText,
	type Block,
	credentialsRefused,
	type Denial,
	definedOnly,
	kindOfStatus,
	Losses,
	type Message,
	type NeutralEvent,
	type NeutralLoss,
	type NeutralRequest,
	parseJson,
	refusesCredentials,
	type StreamDecoder,
	scrub,
	type UpstreamSide,
	type WireRecord,
} from "#core";
import { blocksOf, callOf, errandOf, finishOf, speakerOf, usageOf } from "./wire.ts";

/** What stays behind, by its neutral name: the client is told its own. */
const lossesOf = (request: NeutralRequest): readonly NeutralLoss[] => {
	const reason = "telegraph has no place for it";
	const { tools = [], toolChoice, messages } = request;
	const losses = new Losses();
	const must = toolChoice?.mode === "required" ? (["toolChoice"] as const) : [];
	losses.allBut(["maxOutputTokens", ...must], request, reason);
	for (const tool of tools) if (tool.type !== "function") losses.node(tool, reason);
	for (const { blocks } of messages)
		for (const block of blocks)
			if (!["text", "tool_call", "tool_result", "refusal"].includes(block.type)) losses.node(block, reason);
	return losses.list();
};

const textOf = (blocks: readonly Block[]): string =>
	blocks.map((block) => (block.type === "text" || block.type === "refusal" ? block.text : "")).join("");

const linesOf = ({ role, blocks }: Message): readonly WireRecord[] => {
	const results = blocks.flatMap((block) =>
		block.type === "tool_result" ? [{ from: "errand", ticket: block.callId, text: textOf(block.content) }] : [],
	);
	const errands = blocks.flatMap((block) => (block.type === "tool_call" ? [errandOf(block)] : []));
	const text = textOf(blocks);
	if (text === "" && errands.length === 0) return results;
	return [...results, { from: speakerOf(role), text, ...(errands.length > 0 && { errands }) }];
};

/** `status`: undefined for a failure that is told within an answer. */
const denialOf = (told: unknown, status?: number): Denial => {
	// The operator's affair, not the client's.
	if (status !== undefined && refusesCredentials(status)) return credentialsRefused;
	const { kind, text } = asRecord(asRecord(told)["fault"]);
	const code = asText(kind);
	return {
		kind: (status !== undefined && kindOfStatus(status)) || "upstream",
		message: scrub(asText(text) ?? "The upstream failed without saying why."),
		...(code !== undefined && { code }),
	};
};

class Decoder implements StreamDecoder {
	private readonly model: string;
	private readonly id: string;
	private begun = false;
	private text: number | undefined;
	private blocks = 0;
	private over = false;

	constructor(model: string) {
		this.model = model;
		this.id = `telegraph-${crypto.randomUUID()}`;
	}

	push({ data }: { readonly data: string }): readonly NeutralEvent[] {
		const told = asRecord(parseJson(data));
		if ("fault" in told) return [...this.start(), { type: "error", error: denialOf(told) }];
		if ("errand" in told) return [...this.start(), ...this.closed(), ...this.whole(callOf(told["errand"]))];
		if ("stop" in told) return [...this.start(), ...this.closed(), ...this.ended(told)];
		const text = asText(told["text"]);
		if (text === undefined) return [{ type: "tick" }];
		return [...this.start(), ...this.said(text)];
	}

	end(): readonly NeutralEvent[] {
		return this.over ? [] : [{ type: "end", clean: false }];
	}

	private start(): readonly NeutralEvent[] {
		if (this.begun) return [];
		this.begun = true;
		return [{ type: "start", id: this.id, model: this.model, createdAt: Math.floor(Date.now() / 1000) }];
	}

	private said(text: string): readonly NeutralEvent[] {
		const opens: NeutralEvent[] = [];
		if (this.text === undefined) {
			this.text = this.blocks++;
			opens.push({ type: "open", block: this.text, candidate: 0, shell: { type: "text", text: "" } });
		}
		return [...opens, { type: "delta", block: this.text, delta: { type: "text", text } }];
	}

	private closed(): readonly NeutralEvent[] {
		if (this.text === undefined) return [];
		const block = this.text;
		this.text = undefined;
		return [{ type: "close", block }];
	}

	private whole(shell: Block): readonly NeutralEvent[] {
		const block = this.blocks++;
		return [
			{ type: "open", block, candidate: 0, shell },
			{ type: "close", block },
		];
	}

	private ended({ stop, words }: WireRecord): readonly NeutralEvent[] {
		this.over = true;
		const usage = usageOf(words);
		return [
			...(usage ? [{ type: "usage" as const, usage }] : []),
			{ type: "finish", candidate: 0, finish: finishOf(stop) },
			{ type: "end", clean: true },
		];
	}
}

export const upstream: UpstreamSide = {
	path: () => "/telegraph",
	headers: (key) => ({
		"content-type": "application/json",
		...(key !== undefined && { authorization: `Bearer ${key}` }),
	}),
	encodeRequest: (request, { model }) => ({
		body: definedOnly({
			station: model,
			tape: request.stream,
			lines: request.messages.flatMap(linesOf),
			errands: request.tools?.flatMap((tool) =>
				tool.type === "function"
					? [definedOnly({ errand: tool.name, about: tool.description, form: tool.schema })]
					: [],
			),
			must: request.toolChoice?.mode === "required" || undefined,
			most: request.maxOutputTokens,
		}),
		losses: lossesOf(request),
		names: { tools: new Map() },
	}),
	decodeResponse(body, { request }) {
		const told = asRecord(body);
		const usage = usageOf(told["words"]);
		return {
			id: `telegraph-${crypto.randomUUID()}`,
			createdAt: Math.floor(Date.now() / 1000),
			model: asText(told["station"]) ?? request.model,
			candidates: [{ index: 0, blocks: blocksOf(told), finish: finishOf(told["stop"]) }],
			...(usage && { usage }),
			...("fault" in told && { error: denialOf(told) }),
		};
	},
	streamDecoder: ({ request }) => new Decoder(request.model),
	decodeError: (status, _headers, text) => denialOf(parseJson(text), status),
};
