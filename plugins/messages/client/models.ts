/** Lists of models in this protocol's shape, for whoever names its version. */
import type { ModelInfo, ModelListing, WireRecord } from "#core";

const usualPage = 20;
const largestPage = 1000;

const item = ({ name, createdAt, capabilities }: ModelInfo): WireRecord => ({
	type: "model",
	id: name,
	display_name: name,
	created_at: new Date(createdAt * 1000).toISOString().replace(".000Z", "Z"),
	capabilities: null,
	lifecycle: "active",
	max_input_tokens: capabilities.contextWindow ?? null,
	max_tokens: capabilities.maxOutput ?? null,
});

const sizeOf = (asked: string | null): number => {
	const size = Number(asked);
	return asked !== null && Number.isSafeInteger(size) && size > 0 ? Math.min(size, largestPage) : usualPage;
};

interface Page {
	readonly models: readonly ModelInfo[];
	readonly more: boolean;
}

/** The page before or after a model; an id that is not in the list is passed over. */
const pageOf = (models: readonly ModelInfo[], query: URLSearchParams): Page => {
	const size = sizeOf(query.get("limit"));
	const place = (id: string | null): number => (id === null ? -1 : models.findIndex(({ name }) => name === id));
	const before = place(query.get("before_id"));
	if (before !== -1) return { models: models.slice(Math.max(0, before - size), before), more: before > size };
	const from = place(query.get("after_id")) + 1;
	return { models: models.slice(from, from + size), more: models.length > from + size };
};

/** `GET /v1/models` and `GET /v1/models/{id}` of clients that send `anthropic-version`. */
export const models: ModelListing = {
	listPaths: ["/v1/models", "/models"],
	itemPaths: ["/v1/models/*", "/models/*"],
	list(all, url) {
		const page = pageOf(all, url.searchParams);
		return {
			data: page.models.map(item),
			has_more: page.more,
			first_id: page.models[0]?.name ?? null,
			last_id: page.models.at(-1)?.name ?? null,
		};
	},
	item,
};
