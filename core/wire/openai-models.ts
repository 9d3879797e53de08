/** Lists of models in OpenAI's shape, which several protocols and most vendors share: as clients read them, and as upstreams write them. */
import type { ListedModel, ModelInfo, ModelListing } from "../contract/model-listing.ts";
import { asCount, asList, asRecord, asText, definedOnly } from "../neutral/json.ts";
import { openAiRoots } from "./openai-paths.ts";

/** Beside OpenAI's own fields the sizes, under the names by which clients of other vendors look for them. */
const item = ({ name, createdAt, ownedBy, capabilities: { contextWindow, maxOutput } }: ModelInfo) => ({
	id: name,
	object: "model",
	created: createdAt,
	owned_by: ownedBy,
	...definedOnly({ context_window: contextWindow, context_length: contextWindow, max_output_tokens: maxOutput }),
});

/** `GET /v1/models` and `GET /v1/models/{id}`. */
export const openAiListing: ModelListing = {
	listPaths: openAiRoots.map((root) => `${root}/models`),
	itemPaths: openAiRoots.map((root) => `${root}/models/*`),
	list: (all) => ({ object: "list", data: all.map(item) }),
	item,
};

/** Where vendors tell a model's sizes, the first that is there. */
const windows = ["context_window", "context_length", "max_context_length", "max_model_len"];
const outputs = ["max_output_tokens", "max_completion_tokens"];

const first = (entry: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined =>
	names.map((name) => asCount(entry[name])).find((count) => count !== undefined && count > 0);

/** What an upstream lists: `{data:[{id}]}`, or the list alone. */
export const decodeOpenAiModels = (body: unknown): readonly ListedModel[] =>
	asList(Array.isArray(body) ? body : asRecord(body)["data"]).flatMap((value): ListedModel[] => {
		const entry = asRecord(value);
		const name = asText(entry["id"]);
		return name
			? [{ name, ...definedOnly({ contextWindow: first(entry, windows), maxOutput: first(entry, outputs) }) }]
			: [];
	});
