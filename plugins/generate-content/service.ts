/** What other plugins that speak with Gemini's clients and servers share: names of models in addresses, fields in two spellings. */
export { field, listField, recordField } from "./fields.ts";
export { modelPath, readModelName, resourceName, vertexRoots } from "./model-path.ts";
