/** The client's own bytes for an upstream of the same protocol, with only what must change. */
import {
	asNumber,
	asRecord,
	definedOnly,
	editJsonBody,
	effortLoss,
	effortToSend,
	familyOf,
	type Loss,
	type ModelAsk,
	type ModelCapabilities,
	nearestEffort,
	type PassthroughChanges,
	thinksAnyway,
	type UpstreamMessage,
	unforced,
	type WireRecord,
} from "#core";
import { profileHeader, protocolVersion } from "../name.ts";
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
	...definedOnly({ [profileHeader]: headers.get(profileHeader) || undefined }),
});

/** The path for an operation; the mark of a client's beta interface goes along. */
export const pathOf = (operation: string, url?: URL): string => {
	const path = operation === "count_tokens" ? "/v1/messages/count_tokens" : "/v1/messages";
	return url?.searchParams.get("beta") === "true" ? `${path}?beta=true` : path;
};

/** A level, or a wish for no thinking, that the model is known to refuse becomes the nearest that it takes. */
const thinkingEdits = (body: WireRecord, capabilities: ModelCapabilities, losses: Loss[]): WireRecord => {
	const config = asRecord(body["output_config"]);
	const { thinking, betweenTools, efforts = [], effortsAssumed } = capabilities;
	if (asRecord(body["thinking"])["type"] === "disabled" && thinking === "always" && effortsAssumed !== true) {
		if (betweenTools === true) return { thinking: { type: "between_tools" } };
		losses.push({ path: "thinking", reason: thinksAnyway });
		return { thinking: undefined, output_config: { ...config, effort: nearestEffort("none", efforts) } };
	}
	const effort = effortToSend(config["effort"], capabilities);
	if (effort === config["effort"]) return {};
	const lost = effortLoss(config["effort"], effort);
	if (lost !== undefined) losses.push({ path: "output_config.effort", reason: lost });
	return { output_config: definedOnly({ ...config, effort }) };
};

/** A call that is forced on a model that is known to refuse that. */
const choiceEdits = (body: WireRecord, capabilities: ModelCapabilities, losses: Loss[]): WireRecord => {
	const { type, name: _name, ...rest } = asRecord(body["tool_choice"]);
	if (capabilities.effortsAssumed === true || (type !== "any" && type !== "tool")) return {};
	losses.push({ path: "tool_choice", reason: unforced });
	return { tool_choice: { type: "auto", ...rest } };
};

/** Fields that no beta brings to this upstream. */
const betaLosses = (edits: WireRecord): readonly Loss[] =>
	Object.keys(edits).map((name) => ({
		path: name === "output_config" ? "output_config.task_budget" : name,
		reason: "the operator does not let the beta through that it belongs to",
	}));

/** `betas`: names or patterns of the betas that are forwarded. The message holds the client's bytes when nothing must change. */
export const passthroughRequest =
	(betas: readonly string[]) =>
	(ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage => {
		const { body, call, headers, url } = ask;
		const forwarded = forwardBetas(headers.get("anthropic-beta"), body, betas);
		const history = historyEdits(ask, familyOf(changes.model));
		const losses: Loss[] = [...betaLosses(forwarded.edits), ...history.losses];
		const edits: Record<string, unknown> = { ...forwarded.edits, ...history.edits };
		const { capabilities } = changes;
		Object.assign(edits, thinkingEdits({ ...body.value, ...edits }, capabilities, losses));
		if (capabilities.forcedCalls === false) Object.assign(edits, choiceEdits(body.value, capabilities, losses));
		if (body.value["model"] !== changes.model) edits["model"] = changes.model;
		if (changes.maxOutputTokens !== undefined && call.operation === "generate")
			Object.assign(edits, limitEdits(body.value, changes.maxOutputTokens));
		return {
			path: pathOf(call.operation, url),
			headers: headersOf(ask, forwarded.header),
			body: editJsonBody(body, edits),
			losses,
		};
	};
