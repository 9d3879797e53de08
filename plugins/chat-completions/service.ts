/** What other plugins that speak with OpenAI's clients and servers share. */

export { breakpointOf, cacheControl, lifetimeOf } from "./cache-marks.ts";
export { ContentLength } from "./content-length.ts";
export { digestOfWords, KeptByToken, type KeptText, keyOfCall, type OfToken } from "./kept-by-token.ts";
export { addressOf, audioMime, documentMime, documentName } from "./media.ts";
export {
	answersAnew,
	answersObject,
	beginOpenAiWriting,
	beginsAnswer,
	formatName,
	functionSchema,
	mayEnforce,
	type OpenAiWriting,
	speaksOfJson,
	spokenJson,
	spokenSchema,
	spokenWords,
	tierOf,
	toolNames,
	userFor,
} from "./openai.ts";
export { passedHeaders } from "./passed-headers.ts";
export { asksForUsage, otherStreamOptions } from "./stream-options.ts";
export { strictForm } from "./strict-schema.ts";
export { decodeUsage, withOwnCounts } from "./usage.ts";
