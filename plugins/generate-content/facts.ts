/** What others must know of a Gemini request: the most it can cost, its tier, and the fields that steer. */
import {
	asRecord,
	BoundReader,
	foldedName,
	isRecord,
	membersOf,
	type RequestFacts,
	readFunctionName,
	steeringFinder,
	tierWords,
	type WireRecord,
} from "#core";
import { camelOf, field, listField, recordField, spelledOtherwise, spelling } from "./fields.ts";

/** Fields by which a part, or a content that holds some, is understood. */
const telling =
	"thoughtSignature inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse".split(
		" ",
	);

const partOtherwise = spelledOtherwise("role", "parts", "text", "thought", ...telling);
const inlineOtherwise = spelledOtherwise("mimeType", "data");
const responseOtherwise = spelledOtherwise("parts", "response");

const isUnderstood = (part: WireRecord): boolean =>
	typeof part["text"] === "string" ||
	part["thought"] === true ||
	part["parts"] !== undefined ||
	telling.some((name) => field(part, name) !== undefined);

const readInline = (reader: BoundReader, inline: WireRecord): void => {
	reader.reachesOut(inlineOtherwise(inline));
	reader.inline(field(inline, "mimeType"), field(inline, "data"));
};

const readParts = (reader: BoundReader, parts: readonly unknown[]): void => {
	for (const part of parts) {
		// Other models are told in a sentence that something is left out, however short it is.
		if (!isRecord(part) || !isUnderstood(part) || partOtherwise(part)) reader.reachesOut();
		if (!isRecord(part)) continue;
		const inline = field(part, "inlineData");
		if (inline !== undefined) readInline(reader, asRecord(inline));
		if (field(part, "fileData") !== undefined) reader.reachesOut();
		const response = recordField(part, "functionResponse");
		reader.reachesOut(responseOtherwise(response));
		// What a function gave may hold media beside the text of its response.
		readParts(reader, listField(response, "parts"));
	}
};

const readContents = (reader: BoundReader, body: WireRecord): void => {
	for (const content of [
		...listField(body, "contents"),
		...listField(body, "systemInstruction"),
		...listField(body, "content"),
	])
		if (isRecord(content)) readParts(reader, [content, ...listField(content, "parts")]);
	// What it was generating before it was cut off is read as well.
	for (const name of ["cachedContent", "continuationToken"]) if (field(body, name) !== undefined) reader.reachesOut();
};

/** Code is run again so often when it fails; all other tools are read once. */
const mostCodeRuns = 5;

const readKind = (reader: BoundReader, kind: string, value: unknown): void => {
	if (kind === "functionDeclarations")
		for (const declared of membersOf(value)) readFunctionName(reader, declared["name"]);
	else if (kind === "codeExecution") reader.hosted(undefined, mostCodeRuns);
	else if (kind === "fileSearch" || kind === "retrieval") reader.hosted("fileSearches");
	else if (/search|maps/i.test(kind)) reader.hosted("webSearches");
	else reader.hosted(undefined);
};

const readTool = (reader: BoundReader, tool: WireRecord): void => {
	for (const name of Object.keys(tool)) if (tool[name] !== null) readKind(reader, camelOf(name), tool[name]);
};

const readRequest = (reader: BoundReader, body: WireRecord): void => {
	readContents(reader, body);
	const tools = listField(body, "tools").filter(isRecord);
	const config = recordField(body, "generationConfig");
	if (
		tools.length > 0 ||
		field(config, "responseSchema") !== undefined ||
		field(config, "responseJsonSchema") !== undefined
	)
		reader.tools(0);
	for (const tool of tools) readTool(reader, tool);
};

/** Both spellings that the API takes. */
const exact = (
	"model contents content tools requests generationConfig generation_config systemInstruction system_instruction " +
	"cachedContent cached_content serviceTier service_tier generateContentRequest generate_content_request"
).split(" ");

const finder = steeringFinder(exact);

/** By these Vertex AI asks the model that one names, or one of its own choice, whatever the address says. */
const routing = new Set(["routingconfig", "modelselectionconfig"]);
const routes = (name: string): boolean => routing.has(foldedName(name));

const steering: RequestFacts["steering"] = (body, mayUse) => {
	const found = finder.find(body, mayUse);
	const name = spelling(body.value, "generationConfig");
	const config = name === undefined ? {} : asRecord(body.value[name]);
	const removed = Object.keys(config).filter(routes);
	if (name === undefined || removed.length === 0) return found;
	const kept = Object.fromEntries(Object.entries(config).filter(([field]) => !routes(field)));
	return {
		edits: { ...found?.edits, [name]: kept },
		removed: [...(found?.removed ?? []), ...removed.map((field) => `${name}.${field}`)],
	};
};

export const facts: RequestFacts = {
	bound(body) {
		const reader = new BoundReader(body);
		readRequest(reader, body.value);
		readRequest(reader, recordField(body.value, "generateContentRequest"));
		for (const request of membersOf(body.value["requests"])) readRequest(reader, request);
		return reader.result();
	},
	tiers: (body) => [
		...tierWords(field(body, "serviceTier")),
		...tierWords(field(recordField(body, "generationConfig"), "serviceTier")),
	],
	steering,
};
