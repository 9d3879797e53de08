/** A Gemini client's request for a Gemini upstream: its bytes, but for what must change. */
import {
	asEffort,
	asRecord,
	asText,
	definedOnly,
	editJsonBody,
	effortToSend,
	encodedMark,
	exactBody,
	fittingBudget,
	isRecord,
	type Loss,
	type ModelAsk,
	type ModelCapabilities,
	noLevels,
	type PassthroughChanges,
	thinksAnyway,
	type UpstreamMessage,
	type WireRecord,
} from "#core";
import { field, listField, recordField, spelling } from "../fields.ts";
import { modelPath, resourceName, verbFor } from "../model-path.ts";
import { isCarried, skipSentinel } from "../signatures.ts";

/**
 * Headers of the client's that Google understands and that say nothing of who pays. How long it waits (`x-server-timeout`) is its own
 * concern: of a short time Google says that it failed (500), and to all others it would seem to be down.
 */
const allowed = ["content-type", "x-goog-api-client"];

const headersOf = ({ headers }: ModelAsk): Record<string, string> => {
	const kept: Record<string, string> = {};
	for (const name of allowed) {
		const value = headers.get(name);
		if (value !== null) kept[name] = value;
	}
	return { ...kept, "content-type": "application/json" };
};

type Edits = Record<string, unknown>;

/** What becomes of a request on its way, in the client's own words. */
interface Editing {
	readonly edits: Edits;
	readonly losses: Loss[];
}

const addLimit = (body: WireRecord, limit: number, edits: Edits): void => {
	const name = spelling(body, "generationConfig") ?? "generationConfig";
	const config = asRecord(body[name]);
	edits[name] = { ...config, [spelling(config, "maxOutputTokens") ?? "maxOutputTokens"]: limit };
};

/** Bodies may name the model again, with or without `models/`; there it must be the one of the address. */
const addModel = (body: WireRecord, model: string, edits: Edits): void => {
	const name = resourceName(model);
	const isOther = (value: unknown): boolean => typeof value === "string" && resourceName(value) !== name;
	if (isOther(body["model"])) edits["model"] = name;
	const inner = spelling(body, "generateContentRequest");
	if (inner && isOther(recordField(body, inner)["model"])) edits[inner] = { ...asRecord(body[inner]), model: name };
};

/** Pieces of thoughts of another maker, from a stream that was recorded chunk by chunk: the mark stands on the last of them. */
const foreignPieces = (contents: readonly unknown[]): ReadonlySet<unknown> => {
	const foreign = new Set<unknown>();
	let pieces: unknown[] = [];
	for (const part of contents.flatMap((content) => listField(asRecord(content), "parts"))) {
		const signature = field(asRecord(part), "thoughtSignature");
		const thought = asRecord(part)["thought"] === true;
		if (thought && isCarried(signature)) for (const piece of pieces) foreign.add(piece);
		pieces = thought && signature === undefined ? [...pieces, part] : [];
	}
	return foreign;
};

/** A part of a history without the mark of another maker; undefined when nothing is left of it. */
const unmarked = (part: unknown, foreign: ReadonlySet<unknown>): unknown => {
	if (foreign.has(part)) return undefined;
	if (!isRecord(part) || !isCarried(field(part, "thoughtSignature"))) return part;
	const { thoughtSignature: _, thought_signature: __, ...rest } = part;
	if (rest["thought"] === true) return undefined;
	return rest["text"] === "" ? undefined : rest;
};

/** The parts of a step whose first call is signed, or bears the word that stands for the signature of another model. */
const signed = (parts: readonly unknown[]): readonly unknown[] => {
	const first = parts.findIndex((part) => isRecord(part) && field(part, "functionCall") !== undefined);
	const call = parts[first];
	if (!isRecord(call) || field(call, "thoughtSignature") !== undefined) return parts;
	return parts.map((part) => (part === call ? { ...call, thoughtSignature: skipSentinel } : part));
};

const foreignReason = "it is reasoning of another provider's model";

/** Reasoning of another maker in the history, from turns that another model answered, means nothing to Google. */
const addHistory = (body: WireRecord, sign: boolean, { edits, losses }: Editing): void => {
	const name = spelling(body, "contents") ?? "contents";
	let changed = false;
	const history = listField(body, name);
	const foreign = foreignPieces(history);
	const contents = history.flatMap((content, turn) => {
		if (!isRecord(content)) return [content];
		const before = listField(content, "parts");
		const left = before.flatMap((part, at) => {
			const kept = unmarked(part, foreign);
			const path = `${name}[${turn}].parts[${at}]`;
			if (kept !== part)
				losses.push({ path: kept === undefined ? path : `${path}.thoughtSignature`, reason: foreignReason });
			return kept === undefined ? [] : [kept];
		});
		const parts = sign ? signed(left) : left;
		if (parts.length === before.length && parts.every((part, at) => part === before[at])) return [content];
		changed = true;
		return parts.length > 0 ? [{ ...content, parts }] : [];
	});
	if (changed) edits[name] = contents;
};

/** Whether the history may hold calls or marks of other models: a cheap look before it is walked. */
const mayNeedChange = (text: string, sign: boolean): boolean =>
	text.includes(`"${encodedMark}`) || (sign && /"function_?[cC]all"/.test(text));

/** What the model takes for a level or a budget that it is known to refuse; undefined where it takes what was asked. */
const fittingThinking = (
	level: string | undefined,
	budget: unknown,
	capabilities: ModelCapabilities,
): WireRecord | undefined => {
	const { thinking, budget: bounds, signedCalls } = capabilities;
	const asked = asEffort(level);
	if (asked !== undefined && thinking === "budget" && bounds)
		return { thinkingBudget: fittingBudget({ mode: "on", effort: asked }, bounds) };
	if (asked !== undefined) {
		const sent = effortToSend(asked, capabilities);
		return sent === asked ? undefined : definedOnly({ thinkingLevel: asText(sent)?.toUpperCase() });
	}
	if (budget !== 0) return undefined;
	if (bounds?.off === false) return { thinkingBudget: bounds.min };
	return signedCalls === true ? { thinkingLevel: "LOW" } : undefined;
};

/** A level or a budget that the model is known to refuse becomes the nearest that it takes. */
const addThinking = (body: WireRecord, capabilities: ModelCapabilities, { edits, losses }: Editing): void => {
	const name = spelling(body, "generationConfig") ?? "generationConfig";
	const config = asRecord(edits[name] ?? body[name]);
	const inner = spelling(config, "thinkingConfig");
	if (inner === undefined) return;
	const thinking = asRecord(config[inner]);
	const { thinkingLevel: _, thinking_level: __, thinkingBudget: ___, thinking_budget: ____, ...rest } = thinking;
	const budget = field(thinking, "thinkingBudget");
	const fitting = fittingThinking(asText(field(thinking, "thinkingLevel"))?.toLowerCase(), budget, capabilities);
	if (!fitting) return;
	if (budget === 0) losses.push({ path: "thinkingConfig", reason: thinksAnyway });
	else if (Object.keys(fitting).length === 0) losses.push({ path: "thinkingConfig", reason: noLevels });
	edits[name] = { ...config, [inner]: { ...rest, ...fitting } };
};

/** The message to send: the client's bytes when nothing must change. */
export const passthroughRequest = (ask: ModelAsk, changes: PassthroughChanges): UpstreamMessage => {
	const { body, call } = ask;
	const edits: Edits = {};
	const losses: Loss[] = [];
	addModel(body.value, changes.model, edits);
	if (changes.maxOutputTokens !== undefined && call.operation === "generate")
		addLimit(body.value, changes.maxOutputTokens, edits);
	addThinking(body.value, changes.capabilities, { edits, losses });
	const sign = changes.capabilities.signedCalls === true;
	if (mayNeedChange(body.text, sign)) addHistory(exactBody(body), sign, { edits, losses });
	return {
		// Nothing of the client's query goes along: its key stays here, and a choice of fields would hide what was used.
		path: modelPath(changes.model, verbFor(call.operation, call.stream)) + (call.stream ? "?alt=sse" : ""),
		headers: headersOf(ask),
		body: editJsonBody(body, edits),
		losses,
	};
};
