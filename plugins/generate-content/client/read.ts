/**
 * What routing and quota need of a request, and the refusals that cost nothing: what no upstream could accept is refused
 * here, before a reservation is made or a byte is sent.
 */
import {
	asText,
	Fault,
	fieldReaders,
	isRecord,
	type ModelCall,
	type ModelRequest,
	type Operation,
	refuseField,
	type WireRecord,
} from "#core";
import { withFieldMask } from "../field-mask.ts";
import { field, isAmbiguous, recordField } from "../fields.ts";
import { type ModelPath, readModelPath, verbs } from "../model-path.ts";

const { whole, checkNumber } = fieldReaders(refuseField);

const at = (name: string): string => `generationConfig.${name}`;

const ranges: readonly (readonly [string, number, number])[] = [
	["temperature", 0, 2],
	["topP", 0, 1],
	["topK", 0, Number.MAX_SAFE_INTEGER],
	["presencePenalty", -2, 2],
	["frequencyPenalty", -2, 2],
	["logprobs", 0, 20],
];

const checkRanges = (config: WireRecord): void => {
	for (const [name, least, most] of ranges) checkNumber(field(config, name), at(name), least, most);
};

/** A field under both spellings could be read as two values: a limit on one of them would be no limit, a tier no price. */
const checkSpelling = (record: WireRecord, names: readonly string[], path: string): void => {
	for (const name of names)
		if (isAmbiguous(record, name))
			throw new Fault({
				kind: "invalid_request",
				parameter: path + name,
				code: "invalid_value",
				message: `The field \`${path}${name}\` is given in two spellings; send it once.`,
			});
};

const most = 20_000;

const checkContents = (body: WireRecord): void => {
	const contents = field(body, "contents");
	if (contents === undefined) {
		if (field(body, "systemInstruction") !== undefined) return;
		throw refuseField("contents", contents, "send the conversation as a list of contents.");
	}
	if (typeof contents === "string" || isRecord(contents)) return;
	if (!Array.isArray(contents) || contents.length === 0)
		throw refuseField("contents", contents, "it must hold at least one content.");
	if (contents.length > most)
		throw refuseField("contents", contents, `it may have ${most} entries and has ${contents.length}.`);
	const odd = contents.findIndex((content) => isRecord(content) && !isParts(content["parts"]));
	if (odd !== -1) throw refuseField(`contents[${odd}].parts`, contents[odd].parts, "it must be a list of parts.");
};

/** A single part is taken for a list of one, as clients' libraries do. */
const isParts = (parts: unknown): boolean =>
	parts === undefined || parts === null || Array.isArray(parts) || isRecord(parts) || typeof parts === "string";

const verbOf = (address: string): string => /(?::|%3a)(\w+)$/i.exec(address)?.[1] ?? "";

/** What the address is for: its verb says it. */
export const operationAt = (path: string): Operation => verbs[verbOf(path)]?.operation ?? "generate";

/** The last step of the address, wherever the route was mounted; a route that is told apart by its verb leaves that out. */
const pathOf = ({ params, url }: ModelRequest): ModelPath => {
	const tail = params["*"] ?? url.pathname.slice(url.pathname.indexOf("/models/") + "/models/".length);
	const verb = verbOf(url.pathname);
	return readModelPath(Object.hasOwn(verbs, verb) && verbOf(tail) !== verb ? `${tail}:${verb}` : tail);
};

const readGeneration = (
	body: WireRecord,
	path: ModelPath,
	stream: boolean,
	affinity: string | undefined,
): ModelCall => {
	checkSpelling(body, ["generationConfig", "systemInstruction", "cachedContent", "serviceTier"], "");
	const config = recordField(body, "generationConfig");
	checkSpelling(config, ["maxOutputTokens", "candidateCount", "serviceTier"], at(""));
	checkContents(body);
	checkRanges(config);
	const maxOutputTokens = whole(field(config, "maxOutputTokens"), at("maxOutputTokens"), 1);
	return {
		operation: "generate",
		name: path.model,
		stream,
		candidates: whole(field(config, "candidateCount"), at("candidateCount"), 1, 8) ?? 1,
		...(maxOutputTokens !== undefined && { maxOutputTokens }),
		...(affinity !== undefined && { affinity }),
	};
};

const readPlainCall = (request: ModelRequest): ModelCall => {
	const path = pathOf(request);
	const { operation, stream } = verbs[path.verb] ?? { operation: "generate", stream: false };
	const body = request.body.value;
	if (operation !== "generate") return { operation, name: path.model, stream: false, candidates: 1 };
	return readGeneration(body, path, stream, asText(field(body, "cachedContent")));
};

/** Finds model, verb, limits and field mask. Throws `Fault`: `not_found` for the address, `invalid_request` for the body. */
export const readCall = (request: ModelRequest): ModelCall => withFieldMask(request, readPlainCall(request));
