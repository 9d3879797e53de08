/** The client's own bytes for an upstream of the same protocol, with only what must change. */
import {
	asList,
	asRecord,
	editJsonBody,
	effortLoss,
	effortToSend,
	familyOf,
	type Loss,
	type ModelAsk,
	type PassthroughChanges,
	type UpstreamMessage,
	type WireRecord,
} from "#core";
import { fitRequest, instructed, mayNeedFitting } from "../fit-request.ts";
import { type HistoryTarget, historyFor, mayNeedChange, thinksNot } from "../history.ts";
import { limitField, unreadLimit } from "../limit-fields.ts";
import { passedHeaders } from "../passed-headers.ts";
import { asksForUsage, otherStreamOptions } from "../stream-options.ts";
import { rootFieldsLost, strictEdits, takesStreamOptions } from "../strict-fields.ts";

/** True when Portico asks for usage that the client did not ask for, and must take it out of the answer again. */
export const injectsUsage = ({ call, body }: ModelAsk, { capabilities }: PassthroughChanges): boolean =>
	call.stream && call.operation === "generate" && takesStreamOptions(capabilities) && !asksForUsage(body.value);

/** True when the client said that it wants no usage; one that said nothing gets what a vendor sends with every stream. */
export const refusesUsage = ({ body }: ModelAsk): boolean => {
	const said = asRecord(body.value["stream_options"])["include_usage"];
	return said !== undefined && said !== null && said !== true;
};

/** What becomes of a request on its way, in the client's own words. */
interface Editing {
	readonly edits: Record<string, unknown>;
	readonly losses: Loss[];
}

/** Under each name by which the client gave a limit; where it gave none, under the one that the model takes. */
const editLimit = (
	{ body }: ModelAsk,
	limit: number,
	{ capabilities }: PassthroughChanges,
	{ edits }: Editing,
): void => {
	const { max_completion_tokens: current, max_tokens: older } = body.value;
	if (typeof current === "number" && current > limit) edits["max_completion_tokens"] = limit;
	if (typeof older === "number" && older > limit) edits["max_tokens"] = limit;
	if (typeof current !== "number" && typeof older !== "number") edits[limitField(capabilities)] = limit;
};

/** What another model's turns left in the history, and what a strict vendor does not take. */
const editHistory = (ask: ModelAsk, { model, capabilities }: PassthroughChanges, editing: Editing): void => {
	const { body } = ask;
	// Of other models it does not matter.
	const silent = capabilities.reasoningWithCalls === true && thinksNot({ ...body.value, ...editing.edits });
	if (!mayNeedChange(body.text, model, capabilities, silent)) return;
	const target = { capabilities, family: familyOf(model), thinksNot: silent };
	changeHistory(ask, target, editing);
};

const changeHistory = ({ body, broughtBack }: ModelAsk, target: HistoryTarget, { edits, losses }: Editing): void => {
	const before = asList(body.value["messages"]);
	const lost = (at: number, field: string): void => {
		const path = `messages[${at}].${field}`;
		if (!broughtBack?.has(path)) losses.push({ path, reason: "the model does not take it in its history" });
	};
	const after = historyFor(before, { ...target, lost });
	const same = after.length === before.length && after.every((message, at) => message === before[at]);
	if (!same) edits["messages"] = after;
};

/** What a strict vendor takes in the body's root. */
const editFields = ({ body }: ModelAsk, { capabilities }: PassthroughChanges, { edits, losses }: Editing): void => {
	const strict = strictEdits({ ...body.value, ...edits }, capabilities);
	for (const path of rootFieldsLost(body.value, strict)) losses.push({ path, reason: "the vendor refuses it" });
	Object.assign(edits, strict);
};

/** The effort that the model takes for the one that was asked; where it is switched off by another field, that. */
const editEffort = ({ body }: ModelAsk, { capabilities }: PassthroughChanges, { edits, losses }: Editing): void => {
	const { reasoning_effort: asked, thinking } = body.value;
	const { thinkingSwitch } = capabilities;
	const effort = effortToSend(asked, capabilities);
	if (effort === asked) return;
	const switched = thinkingSwitch !== undefined && thinking === undefined;
	const isOff = asked === "none" && switched;
	edits["reasoning_effort"] = isOff ? undefined : effort;
	if (switched) edits[thinkingSwitch] = { type: isOff ? "disabled" : "enabled" };
	const lost = isOff || capabilities.thinking === "none" ? undefined : effortLoss(asked, effort);
	if (lost !== undefined) losses.push({ path: "reasoning_effort", reason: lost });
};

/** The client's own names for what a model does not get. */
const pathOf = (setting: string, body: WireRecord): string => {
	if (setting === "toolChoice") return "tool_choice";
	if (setting === "formatStrict") return "response_format.json_schema.strict";
	return body["reasoning_effort"] === undefined ? "thinking" : "reasoning_effort";
};

/** What the vendor refuses in fields that it knows. Gives what is to be said in words. */
const editRefused = (
	{ body }: ModelAsk,
	{ capabilities }: PassthroughChanges,
	{ edits, losses }: Editing,
): string | undefined => {
	const fitted = fitRequest({ ...body.value, ...edits }, capabilities);
	Object.assign(edits, fitted.edits);
	for (const { setting, reason } of fitted.lost) losses.push({ path: pathOf(setting, body.value), reason });
	return fitted.instruction;
};

/** The message to send: the client's bytes when nothing must change. Each part is looked at only where it may have to. */
export const passthroughRequest = (ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage => {
	const { body, call } = ask;
	const { capabilities, maxOutputTokens: limit } = changes;
	const editing: Editing = { edits: {}, losses: [] };
	const { edits, losses } = editing;
	if (body.value["model"] !== changes.model) edits["model"] = changes.model;
	if (limit !== undefined && call.operation === "generate") editLimit(ask, limit, changes, editing);
	// Of strict vendors it is among all the fields that they know by another name.
	if (capabilities.maxTokensField !== undefined && call.maxOutputTokens !== undefined && !capabilities.strictFields)
		Object.assign(edits, unreadLimit({ ...body.value, ...edits }, capabilities));
	if (body.value["reasoning_effort"] !== undefined) editEffort(ask, changes, editing);
	const instruction = mayNeedFitting(capabilities) ? editRefused(ask, changes, editing) : undefined;
	editHistory(ask, changes, editing);
	if (instruction !== undefined)
		edits["messages"] = instructed(asList(edits["messages"] ?? body.value["messages"]), instruction);
	if (capabilities.strictFields === true) editFields(ask, changes, editing);
	if (injectsUsage(ask, changes)) edits["stream_options"] = { ...otherStreamOptions(body.value), include_usage: true };
	return { path: "/chat/completions", headers: passedHeaders(ask), body: editJsonBody(body, edits), losses };
};
