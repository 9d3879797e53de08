/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is refused
 * here, before a reservation is made or a byte is sent.
 */
import { asText, Fault, isRecord, type ModelCall, type ModelRequest, type WireRecord } from "#core";
import { field, isAmbiguous, recordField } from "./fields.ts";
import { type ModelPath, readModelPath, verbs } from "./model-path.ts";

const refusal = (parameter: string, message: string): Fault =>
	new Fault({ kind: "invalid_request", parameter, message, code: "invalid_value" });

const named = (value: unknown): string => {
	if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
	if (isRecord(value)) return "an object";
	return typeof value === "string" ? `the string ${JSON.stringify(value.slice(0, 64))}` : String(value);
};

const at = (name: string): string => `generationConfig.${name}`;

const whole = (config: WireRecord, name: string, most: number): number | undefined => {
	const value = field(config, name);
	if (value === undefined) return undefined;
	if (typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most) return value;
	const range = most === Number.MAX_SAFE_INTEGER ? "from 1 on" : `from 1 to ${most}`;
	throw refusal(at(name), `The field \`${at(name)}\` is ${named(value)}; it must be a whole number ${range}.`);
};

const ranges: readonly (readonly [string, number, number])[] = [
	["temperature", 0, 2],
	["topP", 0, 1],
	["topK", 0, Number.MAX_SAFE_INTEGER],
	["presencePenalty", -2, 2],
	["frequencyPenalty", -2, 2],
	["logprobs", 0, 20],
];

const checkRanges = (config: WireRecord): void => {
	for (const [name, least, most] of ranges) {
		const value = field(config, name);
		if (value === undefined || (typeof value === "number" && value >= least && value <= most)) continue;
		throw refusal(
			at(name),
			`The field \`${at(name)}\` is ${named(value)}; it must be a number from ${least} to ${most}.`,
		);
	}
};

/** A field under both spellings could be read as two values, and a limit on one of them would be no limit. */
const checkSpelling = (record: WireRecord, names: readonly string[], path: string): void => {
	for (const name of names)
		if (isAmbiguous(record, name))
			throw refusal(path + name, `The field \`${path}${name}\` is given in two spellings; send it once.`);
};

const most = 20_000;

const checkContents = (body: WireRecord): void => {
	const contents = field(body, "contents");
	if (contents === undefined) {
		if (field(body, "systemInstruction") !== undefined) return;
		throw refusal("contents", "The field `contents` is missing; send the conversation as a list of contents.");
	}
	if (typeof contents === "string" || isRecord(contents)) return;
	if (!Array.isArray(contents) || contents.length === 0)
		throw refusal("contents", `The field \`contents\` is ${named(contents)}; it must hold at least one content.`);
	if (contents.length > most)
		throw refusal("contents", `The field \`contents\` has ${contents.length} entries; at most ${most} are taken.`);
	const odd = contents.findIndex((content) => isRecord(content) && !isParts(content["parts"]));
	if (odd !== -1)
		throw refusal(
			`contents[${odd}].parts`,
			`The field \`contents[${odd}].parts\` is ${named(contents[odd].parts)}; it must be a list of parts.`,
		);
};

/** A single part is taken for a list of one, as clients' libraries do. */
const isParts = (parts: unknown): boolean =>
	parts === undefined || parts === null || Array.isArray(parts) || isRecord(parts) || typeof parts === "string";

/** The last step of the address, wherever the route was mounted. */
const pathOf = ({ params, url }: ModelRequest): ModelPath =>
	readModelPath(params["*"] ?? url.pathname.slice(url.pathname.indexOf("/models/") + "/models/".length));

const readGeneration = (
	body: WireRecord,
	path: ModelPath,
	stream: boolean,
	affinity: string | undefined,
): ModelCall => {
	checkSpelling(body, ["generationConfig", "systemInstruction", "cachedContent"], "");
	const config = recordField(body, "generationConfig");
	checkSpelling(config, ["maxOutputTokens", "candidateCount"], at(""));
	checkContents(body);
	checkRanges(config);
	const maxOutputTokens = whole(config, "maxOutputTokens", Number.MAX_SAFE_INTEGER);
	return {
		operation: "generate",
		name: path.model,
		stream,
		candidates: whole(config, "candidateCount", 8) ?? 1,
		...(maxOutputTokens !== undefined && { maxOutputTokens }),
		...(affinity !== undefined && { affinity }),
	};
};

/** Finds model, verb and limits. Throws `Fault`: `not_found` for the address, `invalid_request` for the body. */
export const readCall = (request: ModelRequest): ModelCall => {
	const path = pathOf(request);
	const { operation, stream } = verbs[path.verb] ?? { operation: "generate", stream: false };
	const body = request.body.value;
	if (operation !== "generate") return { operation, name: path.model, stream: false, candidates: 1 };
	const affinity = asText(field(body, "cachedContent")) ?? request.headers.get("x-session-affinity") ?? undefined;
	return readGeneration(body, path, stream, affinity);
};
