/** Lists of models: as clients get them, and as upstreams tell them. */
import type { ModelCapabilities } from "../neutral/model.ts";

/** A model that clients may ask for. */
export interface ModelInfo {
	readonly name: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	readonly ownedBy: string;
	readonly capabilities: ModelCapabilities;
}

/**
 * `GET` routes that list models. Several protocols may share a path: the first that claims the request answers.
 *
 * @example
 * models: {
 * 	listPaths: ["/v1/telegraph/models"],
 * 	itemPaths: ["/v1/telegraph/models/*"],
 * 	list: (models) => ({ models: models.map(({ name }) => name) }),
 * 	item: ({ name }) => ({ name }),
 * },
 */
export interface ModelListing {
	readonly listPaths: readonly string[];
	/** Paths that end in `*` for the model's name. */
	readonly itemPaths: readonly string[];
	/** True for the listing that answers when none claims the request. */
	readonly fallback?: boolean;
	list(models: readonly ModelInfo[], url: URL): unknown;
	item(model: ModelInfo): unknown;
}

/** A model that an upstream says it has, with its sizes and whether it embeds, where it tells them. */
export interface ListedModel extends Pick<ModelCapabilities, "contextWindow" | "maxOutput" | "embeds"> {
	readonly name: string;
}

/** A `GET` by which an upstream tells its models. */
export interface ModelQuestion {
	/** Added to the upstream's `url`; it may hold a query. */
	readonly path: string;
	/** Headers beside those of every message. */
	readonly headers?: Readonly<Record<string, string>>;
	decode(body: unknown): readonly ListedModel[];
}
