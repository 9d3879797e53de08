/** What the demo model says: always the same for the same request, and always honest about being a demo. */
import {
	type Block,
	type Candidate,
	estimateTokens,
	type Finish,
	type NeutralRequest,
	type NeutralResponse,
	type Tool,
} from "#core";
import { fittingTool } from "./fitting-tool.ts";
import { sample } from "./sample.ts";

/** The demo's tokens are words with the space after them. */
export const wordsOf = (text: string): readonly string[] => text.match(/\s*\S+\s*?(?=\s|$)/g) ?? [];

const textOf = (blocks: readonly Block[]): string =>
	blocks.map((block) => (block.type === "text" ? block.text : "")).join("");

/** What the user said last. */
export const lastWords = (request: NeutralRequest): string =>
	textOf(
		request.messages.findLast(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "text"))
			?.blocks ?? [],
	).trim();

const nameOf = (tool: Tool): string => (tool.type === "unknown" ? "" : tool.name);

/** The tool that the request forces, or undefined when the model may simply talk. */
const forcedTool = ({ tools = [], toolChoice }: NeutralRequest): Tool | undefined => {
	const callable = tools.filter(({ type }) => type === "function" || type === "custom");
	if (toolChoice?.mode === "required") return callable[0];
	if (toolChoice?.mode === "named" && toolChoice.force)
		return callable.find((tool) => toolChoice.names.includes(nameOf(tool)));
	return undefined;
};

/** Whether a tool answered since the model last spoke; a picture of its result may follow in a message of the user's. */
const hasResult = ({ messages }: NeutralRequest): boolean =>
	messages
		.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1)
		.some(({ blocks }) => blocks.some(({ type }) => type === "tool_result"));

/** Among tools that may be called the one that the user's words speak of, unless one has just answered. */
const offeredTool = (request: NeutralRequest, said: string): Tool | undefined => {
	const { tools = [], toolChoice, format } = request;
	if (toolChoice !== undefined && toolChoice.mode !== "auto") return undefined;
	if (format !== undefined && format.type !== "text") return undefined;
	return hasResult(request) ? undefined : fittingTool(tools, said);
};

/** No two calls of one conversation have the same id: clients refuse one whose result they gave already. */
const nextCallId = ({ messages }: NeutralRequest): string => {
	const calls = messages.flatMap(({ blocks }) => blocks.filter(({ type }) => type === "tool_call"));
	return `call_demo_${calls.length + 1}`;
};

const callOf = (tool: Tool, id: string, hint: string): Block => {
	if (tool.type !== "function")
		return {
			type: "tool_call",
			id,
			name: nameOf(tool),
			kind: "custom",
			arguments: { form: "text", text: hint },
		};
	const value = sample(tool.schema, hint);
	return {
		type: "tool_call",
		id,
		name: tool.name,
		kind: "function",
		arguments: { form: "json", value, text: JSON.stringify(value) },
		...(tool.namespace !== undefined && { namespace: tool.namespace }),
	};
};

const source = { url: "https://example.com/", title: "Example Domain" };

const searched = (said: string): readonly Block[] => [
	{
		type: "server_call",
		id: "search_demo_1",
		tool: "web_search",
		name: "web_search",
		arguments: { query: said },
		status: "completed",
	},
	{ type: "server_result", callId: "search_demo_1", tool: "web_search", result: [source] },
];

/** The first characters of a text, none of them cut in two. */
const beginning = (text: string, most: number): string => [...text.slice(0, most * 2)].slice(0, most).join("");

const spoken = (said: string): string =>
	`This is the demo model of Portico speaking; no provider was asked. ${said === "" ? "You said nothing that I can read." : `You said: ${beginning(said, 400)}`}`;

const summaryHead = "The demo model of Portico keeps of the conversation what the user said:";

const asksForSummary = (said: string): boolean =>
	/^(write|give|make)\b.{0,20}\bsummary of (the|this|our) conversation\b/i.test(said);

/** What an earlier summary tells, line by line; a text that is none is one line. */
const linesOf = (text: string): readonly string[] =>
	text.includes(summaryHead)
		? text.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []))
		: [beginning(text, 400).replaceAll("\n", " ")];

/** Everything the user said, text by text: some protocols join what was said in a row into one message. */
const saidTexts = ({ messages }: NeutralRequest): readonly string[] =>
	messages.flatMap(({ role, blocks }) =>
		role === "user" ? blocks.flatMap((block) => (block.type === "text" ? [block.text.trim()] : [])) : [],
	);

/** What the user said before a summary was asked for. */
const summed = (texts: readonly string[]): string =>
	[summaryHead, ...texts.flatMap(linesOf).map((line) => `- ${line}`)].join("\n");

const answerText = (request: NeutralRequest, said: string): string => {
	const { format } = request;
	const texts = saidTexts(request);
	if (asksForSummary(texts.at(-1) ?? "")) return summed(texts.slice(0, -1));
	if (format?.type === "schema") return JSON.stringify(sample(format.schema, "demo"));
	if (format?.type === "enum") return format.values[0] ?? "";
	if (format?.type === "json") return JSON.stringify({ message: spoken(said) });
	return spoken(said);
};

const thinks = ({ reasoning }: NeutralRequest): boolean =>
	reasoning !== undefined &&
	(reasoning.mode === "on" || reasoning.mode === "auto") &&
	reasoning.effort !== "none" &&
	reasoning.expose !== "none";

/** The text up to the first stop sequence, and then up to the limit of words. */
const limited = (text: string, request: NeutralRequest, spent: number): { text: string; finish: Finish } => {
	const hits = (request.stop ?? [])
		.filter((stop) => stop !== "" && text.includes(stop))
		.sort((a, b) => text.indexOf(a) - text.indexOf(b));
	const [stop] = hits;
	const stopped = stop === undefined ? text : text.slice(0, text.indexOf(stop));
	const words = wordsOf(stopped);
	const room = Math.max(0, (request.maxOutputTokens ?? Number.POSITIVE_INFINITY) - spent);
	if (words.length > room) return { text: words.slice(0, room).join(""), finish: { reason: "length" } };
	return {
		text: stopped,
		finish: stop === undefined ? { reason: "stop" } : { reason: "stop_sequence", stopSequence: stop },
	};
};

const countWords = (blocks: readonly Block[]): number =>
	blocks.reduce((sum, block) => {
		if (block.type === "text" || block.type === "thinking") return sum + wordsOf(block.text).length;
		return block.type === "tool_call" ? sum + wordsOf(block.arguments.text).length : sum;
	}, 0);

const candidateOf = (request: NeutralRequest, index: number): Candidate => {
	const said = lastWords(request);
	const before: Block[] = [];
	if (thinks(request))
		before.push({
			type: "thinking",
			form: request.reasoning?.expose === "summary" ? "summary" : "full",
			text: `The request asks for an answer to: ${beginning(said, 100)}`,
		});
	const tool = forcedTool(request) ?? offeredTool(request, said);
	if (tool)
		return {
			index,
			blocks: [...before, callOf(tool, nextCallId(request), beginning(said, 100) || "demo")],
			finish: { reason: "tool_calls" },
		};
	const searches = request.tools?.some((one) => one.type === "server" && one.tool === "web_search") === true;
	if (searches) before.push(...searched(said));
	const { text, finish } = limited(answerText(request, said), request, countWords(before));
	const citations = searches
		? { citations: [{ kind: "url" as const, ...source, quote: "Example", target: { start: 0, end: text.length } }] }
		: {};
	return { index, blocks: text === "" ? before : [...before, { type: "text", text, ...citations }], finish };
};

/** The whole answer. `id` and `createdAt` (seconds) are the only things that differ between two equal requests. */
export const answer = (request: NeutralRequest, model: string, id: string, createdAt: number): NeutralResponse => {
	const candidates = Array.from({ length: request.candidates ?? 1 }, (_, index) => candidateOf(request, index));
	const output = candidates.reduce((sum, { blocks }) => sum + countWords(blocks), 0);
	const reasoning = candidates.reduce(
		(sum, { blocks }) => sum + countWords(blocks.filter(({ type }) => type === "thinking")),
		0,
	);
	return {
		id,
		createdAt,
		model,
		candidates,
		usage: {
			input: { total: estimateTokens(request) },
			output: { total: output, ...(reasoning > 0 && { reasoning }) },
		},
	};
};
