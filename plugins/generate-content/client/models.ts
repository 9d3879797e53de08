/** Lists of models in Gemini's shape. */
import { Buffer } from "node:buffer";
import { definedOnly, type ModelInfo, type ModelListing, type WireRecord } from "#core";

const writing = ["generateContent", "streamGenerateContent", "countTokens"];
const embedding = ["embedContent", "batchEmbedContents", "countTokens"];

const item = ({ name, ownedBy, capabilities }: ModelInfo): WireRecord => ({
	name: `models/${name}`,
	baseModelId: name,
	version: name,
	displayName: name,
	description: `${name}, by ${ownedBy}`,
	supportedGenerationMethods: capabilities.embeds === true ? embedding : writing,
	...definedOnly({
		inputTokenLimit: capabilities.contextWindow,
		outputTokenLimit: capabilities.maxOutput,
		thinking: capabilities.thinking === undefined ? undefined : capabilities.thinking !== "none",
	}),
});

const ordinaryPage = 50;
const longestPage = 1000;

const pageSizeOf = (url: URL): number => {
	const asked = Number(url.searchParams.get("pageSize") ?? url.searchParams.get("page_size") ?? Number.NaN);
	return Number.isInteger(asked) && asked > 0 ? Math.min(asked, longestPage) : ordinaryPage;
};

/** A token is the name of the last model of the page before, so that a page stays right when models come and go. */
const startOf = (names: readonly string[], url: URL): number => {
	const token = url.searchParams.get("pageToken") ?? url.searchParams.get("page_token");
	if (!token) return 0;
	return names.indexOf(Buffer.from(token, "base64url").toString()) + 1;
};

const list = (models: readonly ModelInfo[], url: URL): WireRecord => {
	const start = startOf(
		models.map(({ name }) => name),
		url,
	);
	const page = models.slice(start, start + pageSizeOf(url));
	const last = page.at(-1);
	const more = last !== undefined && start + page.length < models.length;
	return {
		models: page.map(item),
		...(more && { nextPageToken: Buffer.from(last.name).toString("base64url") }),
	};
};

/** Under its own version paths always; under `/v1`, which others share, for clients that show Google's marks. */
export const models: ModelListing = {
	listPaths: [
		"/v1beta/models",
		"/v1alpha/models",
		"/v1/models",
		"/v1/v1beta/models",
		"/v1beta/v1/models",
		"/v1beta/v1beta/models",
	],
	itemPaths: [
		"/v1beta/models/*",
		"/v1alpha/models/*",
		"/v1/models/*",
		"/v1/v1beta/models/*",
		"/v1beta/v1/models/*",
		"/v1beta/v1beta/models/*",
	],
	list,
	item,
};
