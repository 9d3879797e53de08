/** What other plugins that speak with Gemini's clients and servers share: names of models in addresses, fields in two spellings, counts of tokens. */
export { field, listField, recordField } from "./fields.ts";
export { modelPath, readModelName, resourceName, vertexRoots } from "./model-path.ts";
export { ofModality } from "./usage.ts";
