/** What is known of models that make vectors. */
import type { KnownModels } from "#core";

export const embedding: readonly KnownModels[] = [
	{
		names: [
			"*embed*",
			"gemini-embedding-*",
			"text-embedding-*",
			"mistral-embed*",
			"codestral-embed*",
			"voyage-*",
			"bge-m3*",
		],
		capabilities: { embeds: true },
		sources: [
			"https://ai.google.dev/gemini-api/docs/embeddings",
			"https://developers.openai.com/api/docs/guides/embeddings",
			"https://docs.cohere.com/docs/cohere-embed",
			"https://docs.voyageai.com/docs/embeddings",
			"https://docs.mistral.ai/capabilities/embeddings/",
		],
		note: "Told to Gemini's clients in lists of models, where some look for a model that embeds.",
	},
];
