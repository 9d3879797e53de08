/** The libraries that programs are written with; whatever is built on one of them obeys the same variables. */
import type { Client } from "./client.ts";

export const libraries: readonly Client[] = [
	{
		name: "openai",
		title: "OpenAI SDKs",
		note: "LangChain, OpenAI Agents, Pydantic AI, Semantic Kernel, AutoGen, Strands and smolagents obey the same variables. LlamaIndex for Python reads OPENAI_API_BASE (OpenAILike takes any model); CrewAI wants base_url.",
		settings: ({ address, key }) => [
			{
				kind: "environment",
				file: ".env",
				variables: { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_BASE: `${address}/v1`, OPENAI_API_KEY: key },
			},
		],
	},
	{
		name: "anthropic",
		title: "Anthropic SDKs",
		note: "The address goes without /v1.",
		protocol: "messages",
		settings: ({ address, key }) => [
			{ kind: "environment", file: ".env", variables: { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: key } },
		],
	},
	{
		name: "google",
		title: "Google GenAI SDKs",
		note: "Where GOOGLE_API_KEY is set too, it is used instead of GEMINI_API_KEY.",
		protocol: "generate-content",
		settings: ({ address, key }) => [
			{ kind: "environment", file: ".env", variables: { GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: key } },
		],
	},
	{
		name: "ai-sdk",
		title: "Vercel AI SDK",
		note: "Here Anthropic's address has /v1 too; for Google pass baseURL with /v1beta to createGoogleGenerativeAI.",
		settings: ({ address, key }) => [
			{
				kind: "environment",
				file: ".env",
				variables: {
					OPENAI_BASE_URL: `${address}/v1`,
					OPENAI_API_KEY: key,
					ANTHROPIC_BASE_URL: `${address}/v1`,
					ANTHROPIC_API_KEY: key,
					GOOGLE_GENERATIVE_AI_API_KEY: key,
				},
			},
		],
	},
	{
		name: "curl",
		title: "curl",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{
				kind: "command",
				words: [
					"curl",
					`${address}/v1/chat/completions`,
					"-H",
					`authorization: Bearer ${key}`,
					"-H",
					"content-type: application/json",
					"-d",
					JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
				],
			},
		],
	},
];
