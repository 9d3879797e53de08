/** The client's own bytes for an upstream of the same protocol, with only what must change. */
import {
	asNumber,
	asRecord,
	definedOnly,
	editJsonBody,
	effortToSend,
	familyOf,
	type ModelAsk,
	type PassthroughChanges,
	type UpstreamMessage,
	type WireRecord,
} from "#core";
import { protocolVersion } from "../name.ts";
import { forwardBetas } from "./betas.ts";
import { historyEdits } from "./history.ts";

const leastBudget = 1024;

/** The limit, and a thinking budget that stays below it. */
const limitEdits = (body: WireRecord, limit: number): WireRecord => {
	const given = asNumber(body["max_tokens"]);
	if (given !== undefined && given <= limit) return {};
	const thinking = asRecord(body["thinking"]);
	const budget = asNumber(thinking["budget_tokens"]);
	if (thinking["type"] !== "enabled" || budget === undefined || budget < limit) return { max_tokens: limit };
	const lowered = limit - 1 >= leastBudget ? { ...thinking, budget_tokens: limit - 1 } : undefined;
	return { max_tokens: limit, thinking: lowered };
};

const headersOf = ({ headers, call }: ModelAsk, betas: string): Record<string, string> => ({
	"content-type": "application/json",
	accept: call.stream ? "text/event-stream" : "application/json",
	"anthropic-version": headers.get("anthropic-version") ?? protocolVersion,
	...(betas === "" ? {} : { "anthropic-beta": betas }),
});

/** The path for an operation; the mark of a client's beta interface goes along. */
export const pathOf = (operation: string, url?: URL): string => {
	const path = operation === "count_tokens" ? "/v1/messages/count_tokens" : "/v1/messages";
	return url?.searchParams.get("beta") === "true" ? `${path}?beta=true` : path;
};

/** `betas`: names or patterns of the betas that are forwarded. The message holds the client's bytes when nothing must change. */
export const passthroughRequest =
	(betas: readonly string[]) =>
	(ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage => {
		const { body, call, headers, url } = ask;
		const forwarded = forwardBetas(headers.get("anthropic-beta"), body, betas);
		const edits: Record<string, unknown> = { ...forwarded.edits, ...historyEdits(body, familyOf(changes.model)) };
		const config = asRecord(edits["output_config"] ?? body.value["output_config"]);
		const effort = effortToSend(config["effort"], changes.capabilities ?? {});
		if (effort !== config["effort"]) edits["output_config"] = definedOnly({ ...config, effort });
		if (body.value["model"] !== changes.model) edits["model"] = changes.model;
		if (changes.maxOutputTokens !== undefined && call.operation === "generate")
			Object.assign(edits, limitEdits(body.value, changes.maxOutputTokens));
		return {
			path: pathOf(call.operation, url),
			headers: headersOf(ask, forwarded.header),
			body: editJsonBody(body, edits),
		};
	};
