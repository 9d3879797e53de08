/** What other plugins need that speak with Gemini's clients and servers: names of models, fields in two spellings, counts. */
export { field, listField, recordField } from "./fields.ts";
export { modelPath, readModelName, resourceName, roots } from "./model-path.ts";
export { skipSentinel } from "./signatures.ts";
export { ofModality } from "./usage.ts";
