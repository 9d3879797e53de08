/** Vendors of Chat Completions: DeepSeek and Kimi, which want their reasoning back, and those that refuse what they do not know. */
import { asRecord, asText, type WireRecord } from "#core";
import { anyOf, events, firstOf, fresh, lists, type Step, unknownField, type Vendor } from "../vendor.ts";

/** Results of all calls stand right behind them. */
export const pairRefusal = (messages: readonly WireRecord[]): string | undefined =>
	anyOf(messages, (message, at) => {
		const behind = messages.slice(at + 1);
		const end = behind.findIndex(({ role }) => role !== "tool");
		const answered = behind.slice(0, end === -1 ? undefined : end).map((result) => result["tool_call_id"]);
		const open = lists(message["tool_calls"]).find(({ id }) => !answered.includes(id));
		const before = messages.slice(0, at).findLast(({ role }) => role !== "tool");
		const known = lists(before?.["tool_calls"]).map(({ id }) => id);
		if (message["role"] === "tool" && !known.includes(message["tool_call_id"]))
			return `messages[${at}]: a tool message must follow its tool_calls`;
		return open === undefined ? undefined : `messages[${at}]: tool_call_id ${String(open["id"])} has no response`;
	});

interface Made {
	readonly reasoning: boolean;
	callId(): string;
}

const answerWith =
	(model: string, { reasoning, callId }: Made): Vendor["answer"] =>
	(_path, body, { calls, text }: Step) => {
		const tool_calls = calls.map(({ name, input }, index) => ({
			index,
			id: callId(),
			type: "function",
			function: { name, arguments: JSON.stringify(input) },
		}));
		const message = {
			role: "assistant",
			content: text,
			...(reasoning && { reasoning_content: "Let me think it over." }),
			...(calls.length > 0 && { tool_calls }),
		};
		const head = { id: fresh("chatcmpl-"), created: 1_700_000_000, model };
		const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
		const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
		const chunk = (delta: WireRecord, finish: string | null = null) => ({
			...head,
			object: "chat.completion.chunk",
			choices: [{ index: 0, delta, finish_reason: finish }],
		});
		const asked = asRecord(body["stream_options"])["include_usage"] === true;
		return {
			whole: { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage },
			stream: `${events([
				chunk({ role: "assistant", content: "" }),
				...(reasoning ? [chunk({ reasoning_content: "Let me " }), chunk({ reasoning_content: "think it over." })] : []),
				chunk({ content: text }),
				...tool_calls.map((call) => chunk({ tool_calls: [call] })),
				asked ? chunk({}, finish_reason) : { ...chunk({}, finish_reason), usage },
				...(asked ? [{ ...head, object: "chat.completion.chunk", choices: [], usage }] : []),
			])}data: [DONE]\n\n`,
		};
	};

/** While they think, calls of the history must have the reasoning beside them that led to them; no word counts as none. */
const unreasoned = (body: WireRecord): number | undefined => {
	if (asRecord(body["thinking"])["type"] === "disabled") return undefined;
	const at = lists(body["messages"]).findIndex(
		(message) => message["tool_calls"] && !asText(message["reasoning_content"])?.trim(),
	);
	return at === -1 ? undefined : at;
};

export const kimi: Vendor = {
	model: "kimi-k2.6",
	refusal(_path, body) {
		const at = unreasoned(body);
		return firstOf(
			pairRefusal(lists(body["messages"])),
			at !== undefined &&
				`thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
		);
	},
	answer: answerWith("kimi-k2.6", { reasoning: true, callId: () => fresh("lookup:") }),
};

const deepseekRoles = ["system", "user", "assistant", "tool"];

export const deepseek: Vendor = {
	model: "deepseek-chat",
	refusal(_path, body) {
		const messages = lists(body["messages"]);
		return firstOf(
			anyOf(messages, ({ role }) =>
				deepseekRoles.includes(String(role))
					? undefined
					: `Failed to deserialize the JSON body into the target type: unknown variant \`${String(role)}\``,
			),
			pairRefusal(messages),
			unreasoned(body) !== undefined && "The `reasoning_content` in the thinking mode must be passed back to the API.",
		);
	},
	answer: answerWith("deepseek-chat", { reasoning: true, callId: () => fresh("call_00_") }),
};

const strictMessages: Readonly<Record<string, readonly string[]>> = {
	system: ["role", "content"],
	user: ["role", "content"],
	assistant: ["role", "content", "tool_calls", "prefix"],
	tool: ["role", "content", "tool_call_id", "name"],
};

const strictRoot = [
	"model",
	"messages",
	"max_tokens",
	"temperature",
	"top_p",
	"stream",
	"stop",
	"tools",
	"tool_choice",
	"parallel_tool_calls",
	"response_format",
	"random_seed",
	"n",
];

const extra = (at: string): string => `422 extra_forbidden ${at}: Extra inputs are not permitted`;

const strictMessage = (message: WireRecord, before: WireRecord | undefined, at: number): string | undefined => {
	const taken = strictMessages[String(message["role"])];
	if (taken === undefined) return `messages[${at}].role ${String(message["role"])}`;
	const odd = unknownField(message, taken);
	return firstOf(
		odd && extra(`messages[${at}].${odd}`),
		anyOf(lists(message["tool_calls"]), (call) => {
			const field = unknownField(call, ["id", "type", "function", "index"]);
			if (field) return extra(`messages[${at}].tool_calls.${field}`);
			return /^[a-zA-Z0-9]{9}$/.test(String(call["id"])) ? undefined : `Tool call id was ${String(call["id"])}`;
		}),
		before?.["role"] === "tool" && message["role"] === "user" && "Unexpected role 'user' after role 'tool'",
		message["role"] === "assistant" && !message["content"] && !message["tool_calls"] && "assistant must have content",
	);
};

export const mistral: Vendor = {
	model: "mistral-large-latest",
	refusal(_path, body) {
		const messages = lists(body["messages"]);
		const odd = unknownField(body, strictRoot);
		return firstOf(
			odd && extra(odd),
			anyOf(messages, (message, at) => strictMessage(message, messages[at - 1], at)),
			pairRefusal(messages),
			messages.at(-1)?.["role"] === "assistant" && !messages.at(-1)?.["prefix"] && "Expected last role User or Tool",
		);
	},
	answer: answerWith("mistral-large-latest", {
		reasoning: false,
		callId: () => fresh("abc").slice(-9).padStart(9, "Z"),
	}),
};

/** Another strict vendor, whose models are everybody's. */
export const groq: Vendor = {
	model: "kimi-k2-thinking",
	vendor: "groq",
	refusal(_path, body) {
		const messages = lists(body["messages"]);
		return firstOf(
			body["store"] !== undefined && "property 'store' is unsupported",
			anyOf(messages, (message, at) => {
				const odd = unknownField(message, [...(strictMessages[String(message["role"])] ?? []), "reasoning"]);
				return odd && `'messages.${at}' : for 'role:${String(message["role"])}' property '${odd}' is unsupported`;
			}),
			anyOf(messages, ({ tool_calls }) =>
				anyOf(lists(tool_calls), (call) => unknownField(call, ["id", "type", "function", "index"])),
			),
			pairRefusal(messages),
		);
	},
	answer: answerWith("kimi-k2-thinking", { reasoning: false, callId: () => fresh("call_") }),
};

const gptFields: Readonly<Record<string, readonly string[]>> = {
	system: ["role", "content", "name"],
	developer: ["role", "content", "name"],
	user: ["role", "content", "name"],
	assistant: ["role", "content", "tool_calls", "refusal", "annotations", "audio", "name", "function_call"],
	tool: ["role", "content", "tool_call_id"],
};

/** OpenAI's own models in this protocol. */
export const gptChat: Pick<Vendor, "refusal" | "answer"> = {
	refusal(_path, body) {
		const messages = lists(body["messages"]);
		return firstOf(
			body["max_tokens"] !== undefined && "Unsupported parameter: 'max_tokens'",
			anyOf(messages, (message, at) => {
				const odd = unknownField(message, gptFields[String(message["role"])] ?? []);
				if (odd) return `Unknown parameter: 'messages[${at}].${odd}'`;
				return anyOf(lists(message["tool_calls"]), (call) => {
					if (String(call["id"]).length > 40) return `messages[${at}].tool_calls.id: string too long`;
					const field = unknownField(call, ["id", "type", "function", "custom", "index"]);
					return field && `Unknown parameter: 'messages[${at}].tool_calls.${field}'`;
				});
			}),
			pairRefusal(messages),
		);
	},
	answer: answerWith("gpt-5.2", { reasoning: false, callId: () => fresh("call_") }),
};
