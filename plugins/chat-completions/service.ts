/** What other plugins that speak with OpenAI's clients and servers share. */

export {
	beginOpenAiWriting,
	formatName,
	mayEnforce,
	type OpenAiWriting,
	speaksOfJson,
	tierOf,
	toolNames,
} from "./openai.ts";
export { asksForUsage, otherStreamOptions } from "./passthrough/request.ts";
export { strictForm } from "./strict-schema.ts";
export { decodeUsage } from "./usage.ts";
