import { describe, expect, test } from "bun:test";
import type { ModelInfo } from "#core";
import { generateContent } from "../protocol.ts";
import { models } from "./models.ts";

const info = (name: string): ModelInfo => ({
	name,
	createdAt: 1,
	ownedBy: "someone",
	capabilities: { contextWindow: 32_768, maxOutput: 8192, thinking: "budget" },
});
const list = (all: readonly ModelInfo[], query = "") =>
	models.list(all, new URL(`http://gateway/v1beta/models${query}`)) as {
		models: { name: string }[];
		nextPageToken?: string;
	};
const claims = (path: string, headers: HeadersInit = {}) =>
	generateContent.client.claims?.(new Headers(headers), new URL(`http://gateway${path}`));

describe("lists of models", () => {
	test("a model in Gemini's shape", () => {
		expect(models.item(info("vendor/x"))).toEqual({
			name: "models/vendor/x",
			baseModelId: "vendor/x",
			version: "vendor/x",
			displayName: "vendor/x",
			description: "vendor/x, by someone",
			supportedGenerationMethods: ["generateContent", "streamGenerateContent", "countTokens"],
			inputTokenLimit: 32_768,
			outputTokenLimit: 8192,
			thinking: true,
		});
	});

	test("a model that embeds is asked for vectors", () => {
		const embedder = { ...info("text-embedding-3-small"), capabilities: { embeds: true } };
		expect(models.item(embedder)).toMatchObject({
			supportedGenerationMethods: ["embedContent", "batchEmbedContents", "countTokens"],
		});
	});

	test("pages follow each other without a gap, also when a model came in between", () => {
		const all = Array.from({ length: 120 }, (_, index) => info(`m${index}`));
		const first = list(all);
		expect(first.models).toHaveLength(50);
		const second = list([info("new"), ...all], `?pageSize=70&pageToken=${first.nextPageToken}`);
		expect(second.models[0]?.name).toBe("models/m50");
		expect(second.models).toHaveLength(70);
		expect(second.nextPageToken).toBeUndefined();
		expect(list(all, "?pageSize=5000").models).toHaveLength(120);
		expect(list(all, "?pageSize=junk&pageToken=%00").models).toHaveLength(50);
		expect(list([])).toEqual({ models: [] });
	});

	test("where others list theirs, only for clients with Google's marks", () => {
		expect(claims("/v1/models")).toBe(false);
		expect(claims("/v1/models?key=sk-1")).toBe(true);
		expect(claims("/v1/models", { "x-goog-api-key": "sk-1" })).toBe(true);
		expect(claims("/v1/models/x", { "x-goog-api-client": "sdk" })).toBe(true);
		expect(claims("/v1/models", { authorization: "Bearer sk-1" })).toBe(false);
	});
});
