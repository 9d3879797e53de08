/** Coding tools: programs that write code with a model. */
import type { Client } from "./client.ts";

export const codingTools: readonly Client[] = [
	{
		name: "claude-code",
		title: "Claude Code",
		note: "Its model list shows models whose names begin with claude or anthropic.",
		protocol: "messages",
		settings: ({ address, key, model }) => [
			{
				kind: "json",
				file: "~/.claude/settings.json",
				content: {
					env: {
						ANTHROPIC_BASE_URL: address,
						ANTHROPIC_AUTH_TOKEN: key,
						ANTHROPIC_MODEL: model,
						ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
					},
				},
			},
		],
	},
	{
		name: "codex",
		title: "OpenAI Codex",
		protocol: "responses",
		settings: ({ address, key, model }) => [
			{
				kind: "toml",
				file: "~/.codex/config.toml",
				top: { model, model_provider: "portico" },
				table: "model_providers.portico",
				members: { name: "Portico", base_url: `${address}/v1`, env_key: "PORTICO_KEY", wire_api: "responses" },
			},
			{ kind: "environment", variables: { PORTICO_KEY: key } },
		],
	},
	{
		name: "gemini-cli",
		title: "Gemini CLI",
		note: "Start it with the model: gemini -m MODEL. In a folder that it does not trust it reads no ~/.gemini/.env.",
		protocol: "generate-content",
		settings: ({ address, key, model }) => [
			{
				kind: "environment",
				file: "~/.gemini/.env",
				variables: { GOOGLE_GEMINI_BASE_URL: address, GEMINI_API_KEY: key, GEMINI_MODEL: model },
			},
			{
				kind: "json",
				file: "~/.gemini/settings.json",
				content: { security: { auth: { selectedType: "gemini-api-key" } } },
			},
		],
	},
	{
		name: "opencode",
		title: "opencode",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{
				kind: "json",
				file: "~/.config/opencode/opencode.json",
				content: {
					$schema: "https://opencode.ai/config.json",
					model: `portico/${model}`,
					small_model: `portico/${model}`,
					provider: {
						portico: {
							npm: "@ai-sdk/openai-compatible",
							name: "Portico",
							options: { baseURL: `${address}/v1`, apiKey: key },
							models: { [model]: { name: model } },
						},
					},
				},
			},
		],
	},
	{
		name: "cline",
		title: "Cline",
		note: "In the editor: API provider OpenAI Compatible, with the same base URL, key and model.",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{ kind: "command", words: ["cline", "auth", "-p", "openai", "-k", key, "-m", model, "-b", `${address}/v1`] },
		],
	},
	{
		name: "continue",
		title: "Continue",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{
				kind: "yaml",
				file: "~/.continue/config.yaml",
				once: { name: "Portico", version: "1.0.0", schema: "v1" },
				content: {
					models: [{ name: "Portico", provider: "openai", model, apiBase: `${address}/v1/`, apiKey: key }],
				},
			},
		],
	},
	{
		name: "cursor",
		title: "Cursor",
		note: "Cursor's servers make the calls: the address must be one that they can reach, with https.",
		settings: ({ address, key, model }) => [
			{
				kind: "steps",
				steps: [
					"Open Cursor Settings, then Models, then API Keys.",
					`Switch on Override OpenAI Base URL and set it to ${address}/v1`,
					`Set OpenAI API Key to ${key} and switch it on.`,
					`Add the model ${model} and choose it.`,
				],
			},
		],
	},
	{
		name: "aider",
		title: "aider",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{
				kind: "environment",
				file: ".env",
				variables: { OPENAI_API_BASE: `${address}/v1`, OPENAI_API_KEY: key, AIDER_MODEL: `openai/${model}` },
			},
		],
	},
];
