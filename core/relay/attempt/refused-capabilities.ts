/** What the words of a refusal tell of the model, where the same upstream takes the request in another form. */
import type { ModelCapabilities } from "../../neutral/model.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { instructsLater } from "../../neutral/system-first.ts";
import { effortsTaken } from "./refused-effort.ts";
import { mostOutput } from "./refused-limit.ts";

/** A request that was refused, and how. */
interface Refused {
	readonly prompt: NeutralRequest;
	readonly status: number;
	readonly text: string;
	/** Whether the upstream speaks as the client does, which then may be told itself. */
	readonly sameForm: boolean;
}

/** The words of the templates that vLLM, llama.cpp, Ollama and LM Studio render for Qwen and its kin, and of MiniMax. */
const lateSystem =
	/system messages? must be (?:at the beginning|(?:the )?first)|invalid (?:chat setting|message role: system) \(2013\)/i;

/** Instructions that stand anywhere but at the beginning. Some servers call what their template refuses a failure of their own. */
const ofSystem = ({ prompt, status, text }: Refused): ModelCapabilities | undefined => {
	const isRefused = (status === 400 || status === 422 || status === 500) && lateSystem.test(text);
	return isRefused && instructsLater(prompt.messages) ? { midSystem: false } : undefined;
};

/** A level of thinking: the nearest that is listed; only translation asks for none. */
const ofEffort = ({ prompt, status, text, sameForm }: Refused): ModelCapabilities | undefined => {
	const efforts = effortsTaken(status, text);
	const asked = prompt.reasoning?.effort;
	if (!efforts || asked === undefined || efforts.includes(asked)) return undefined;
	return efforts.length === 0 && sameForm ? undefined : { efforts, effortsAssumed: false };
};

/** A limit on output that a client set for another model; one that speaks as the upstream does may want to shorten its prompt. */
const ofLimit = ({ status, text, sameForm }: Refused): ModelCapabilities | undefined => {
	const maxOutput = sameForm ? undefined : mostOutput(status, text);
	return maxOutput === undefined ? undefined : { maxOutput };
};

/** Moonshot's words for schemas of tools that say the same in a way it does not take. */
const untakenUnion = /moonshot flavored json schema.{0,1000}?(?:using anyOf|items must be)/is;

/** The words of xAI, OpenAI, DeepSeek and Anthropic for a schema that has no object at its root, or alternatives there. */
const untakenRoot =
	/root must be an object type|must be a JSON Schema of 'type|not have '?oneOf.{0,100}?at the top level|does not support oneOf, allOf, or anyOf at the top level/is;

/** Schemas of tools, which a client mostly hands on from an MCP server: one of them would refuse every request. */
const ofSchemas = ({ prompt, status, text }: Refused): ModelCapabilities | undefined => {
	if (status !== 400 || !prompt.tools) return undefined;
	if (untakenUnion.test(text)) return { typedUnions: false, rootUnions: false };
	return untakenRoot.test(text) ? { rootUnions: false } : undefined;
};

/** What servers of open models say of a tool of Anthropic's that its own servers run. */
const untakenTool = /invalid tool type|unsupported tool type|web_search_20\d{6}/i;

/** A search of the upstream's own, which Codex offers in every request. */
const ofSearch = ({ prompt, status, text, sameForm }: Refused): ModelCapabilities | undefined => {
	const searches = prompt.tools?.some((tool) => tool.type === "server" && tool.tool === "web_search") === true;
	const isRefused = !sameForm && (status === 400 || status === 422) && untakenTool.test(text);
	return searches && isRefused ? { searches: false } : undefined;
};

/** A stream's usage cannot be asked for, which clients of other protocols, and many of this one, never did. */
const untakenUsage =
	/stream_options.{0,40}(?:unsupported|not (?:supported|permitted|allowed)|unrecognized|unknown)|(?:unsupported|unrecognized|unknown|invalid)[^.]{0,60}stream_options/is;

/** OpenAI's words, which Azure's deployments give under any name: only its models that reason take no `max_tokens`. */
const otherLimit = /'?max_tokens'? is not supported with this model.{0,20}max_completion_tokens/i;

/** Claude's words, which gateways before it hand on: it takes one of the two. */
const oneSampling = /temperature.{0,5} and .{0,3}top_p.{0,5} cannot both be specified/i;

/** It takes no sampling but its own. */
const untakenSampling = /unsupported (?:parameter|value): '(?:temperature|top_p|presence_penalty|frequency_penalty)'/i;

/** Fields that Portico chose for a model of which it knew no better. */
const ofFields = ({ prompt, status, text, sameForm }: Refused): ModelCapabilities | undefined => {
	if (prompt.stream && (status === 400 || status === 422) && untakenUsage.test(text)) return { streamUsage: false };
	if (status !== 400) return undefined;
	if (otherLimit.test(text)) return { maxTokensField: "max_completion_tokens" };
	if (sameForm) return undefined;
	if (oneSampling.test(text)) return { temperatureOrTopP: true };
	return untakenSampling.test(text) ? { samplingRefused: true } : undefined;
};

/** Undefined where nothing is told by which the request would be another. */
export const refusedCapabilities = (refused: Refused): ModelCapabilities | undefined =>
	ofSystem(refused) ??
	ofEffort(refused) ??
	ofLimit(refused) ??
	ofSchemas(refused) ??
	ofSearch(refused) ??
	ofFields(refused);
